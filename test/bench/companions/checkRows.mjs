// The companion for the target `kinds`: a script that a competent engineer could write in an afternoon, with the
// same checks. It counts the rows in which every cell is valid.
import { parsePhoneNumberFromString } from "libphonenumber-js/min"
import { DateTime } from "luxon"
import { createReadStream } from "node:fs"
import Papa from "papaparse"
import validator from "validator"

const colours = new Map(["Red", "Green", "Blue", "Yellow"].map((label) => [label.toLowerCase(), label.toLowerCase()]))
const topics = new Map(
  ["Sports", "Music", "Food & drink", "Travel"].map((label) => [label.toLowerCase(), label.toLowerCase()]),
)

const wrong = (what) => {
  throw new Error(`not ${what}`)
}

const phone = (text) => {
  const number = parsePhoneNumberFromString(text, { defaultCountry: "DE", extract: false })
  if (number === undefined || !number.isValid() || number.ext !== undefined) wrong("a phone number")
  return number.number
}

const moment = (text, format, zone, written) => {
  const time = DateTime.fromFormat(text, format, { zone })
  return time.isValid ? written(time) : wrong(`as ${format}`)
}

const number = (text) => {
  if (!/^-?\d{1,3}(\.\d{3})*(,\d+)?$/.test(text)) wrong("a number")
  return Number(text.replaceAll(".", "").replace(",", "."))
}

const rating = (text) => {
  const value = Number(text)
  return Number.isInteger(value) && value >= 1 && value <= 5 ? value : wrong("from 1 to 5")
}

const option = (of, text) => of.get(text.trim().toLowerCase()) ?? wrong("an option")

const itemOf = ([key, ...cells]) => {
  const [name, mail, tel, website, born, appointment, opens, revenue, stars, news, colour, interests, note, code] =
    cells.map((cell) => cell.trim())
  return {
    key,
    name,
    mail: validator.isEmail(mail) ? mail : wrong("an address"),
    phone: phone(tel),
    website: validator.isURL(website, { protocols: ["http", "https"], require_protocol: true })
      ? website
      : wrong("a web address"),
    born: moment(born, "dd.MM.yyyy", "utc", (time) => time.toISODate()),
    appointment: moment(appointment, "dd.MM.yyyy HH:mm", "Europe/Berlin", (time) => time.toUTC().toISO()),
    opens: moment(opens, "HH:mm", "utc", (time) => time.toFormat("HH:mm")),
    revenue: number(revenue),
    rating: rating(stars),
    newsletter: news === "ja" ? true : news === "nein" ? false : wrong("yes or no"),
    colour: option(colours, colour),
    interests: interests.split(",").map((one) => option(topics, one)),
    note,
    code: /^[A-Z]{2}\d{4}$/.test(code) ? code : wrong("a code"),
  }
}

let right = 0
let isHeader = true
const keys = new Set()
Papa.parse(createReadStream(process.argv[2], { highWaterMark: 65_536, encoding: "utf8" }), {
  skipEmptyLines: true,
  chunk: ({ data }) => {
    for (const row of data) {
      if (isHeader) isHeader = false
      else {
        const item = itemOf(row)
        if (keys.has(item.key)) wrong("a new key")
        keys.add(item.key)
        right++
      }
    }
  },
  complete: () => process.stdout.write(`${right}\n`),
})
