// Writes the synthetic sources of the demonstration project: node .ci/samples.mjs [FOLDER]. The bytes are always the same. They are committed, so this is only run after a
// sample changes, and by a test that compares them. The people are invented: their addresses are at example.*, and their phone numbers are reserved for films.
import iconv from "iconv-lite"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { utils, write } from "xlsx"

/** The Mulberry32 generator, which returns the same numbers for the same seed. */
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296
}

const draws = (seed) => {
  const next = random(seed)
  const int = (from, to) => from + Math.floor(next() * (to - from + 1))
  const pick = (list) => list[int(0, list.length - 1)]
  return { int, pick, chance: (share) => next() < share, some: (list, share) => list.filter(() => next() < share) }
}

const two = (number) => String(number).padStart(2, "0")
const ascii = (text) =>
  text.toLowerCase().replace(/ä/g, "ae").replace(/ö/g, "oe").replace(/ü/g, "ue").replace(/ß/g, "ss")
    .normalize("NFD").replace(/[^a-z]/g, "")
const csvCell = (delimiter) => (text) =>
  text.includes(delimiter) || /["\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
const csv = (rows, delimiter, end) => rows.map((row) => row.map(csvCell(delimiter)).join(delimiter) + end).join("")
const folder = process.argv[2] ?? fileURLToPath(new URL("../samples", import.meta.url))

const firstNames = ["Änne", "Björn", "Cem", "Dörte", "Emil", "Fatma", "Götz", "Hülya", "Ida", "Jürgen", "Käthe", "Lars"]
const lastNames = [
  "Müller",
  "Schäfer",
  "Yıldız",
  "Groß",
  "Öztürk",
  "Weiß",
  "Böhm",
  "Jäger",
  "Kowalski",
  "Vogt",
  "Lüders",
]

/** Returns a customer list as a German desktop program exports it. */
const contacts = () => {
  const { chance, int, pick, some } = draws(1)
  const places = [["10115", "Berlin"], ["01067", "Dresden"], ["80331", "München"], ["50667", "Köln"], [
    "04109",
    "Leipzig",
  ]]
  const streets = ["Lindenstraße", "Am Mühlgraben", "Schloßallee", "Große Gasse", "Bäckerweg"]
  const phones = [
    () => `030 / 23125-${int(100, 999)}`,
    () => `(089) 99998 ${int(100, 999)}`,
    () => `+49 221 4710${int(100, 999)}`,
    () => `0176 040690${two(int(0, 99))}`,
    () => `0049 40 66969 ${int(100, 999)}`,
  ]
  const interests = ["Wandern", "Radfahren", "Essen, Trinken & Genießen", "Städtereisen", "Kultur (Theater, Oper)"]
  const header =
    "Kundennr;Anrede;Titel;Vorname;Nachname;E-Mail;Telefon;Geboren;Straße;PLZ;Ort;Kunde seit;Umsatz;Rabatt;Newsletter;"
    + "Interessen;Bewertung;Webseite;Erfasst am;Geändert am;Interner Vermerk"
  const rows = Array.from({ length: 160 }, (_, index) => {
    const first = pick(firstNames)
    const last = pick(lastNames.filter((name) => name !== "Yıldız"))
    const [zip, city] = pick(places)
    const euros = int(0, 250_000)
    const since = `${two(int(1, 28))}.${two(int(1, 12))}.`
    const year = int(2014, 2023)
    const clock = (year) => `${two(int(1, 28))}.${two(int(1, 12))}.${year} ${two(int(7, 19))}:${two(int(0, 59))}`
    return [
      `K-${String(index + 1).padStart(5, "0")}`,
      pick(["Frau", "Herr", "Divers", "k. A."]),
      chance(0.2) ? pick(["Dr.", "Prof. Dr."]) : "",
      first,
      last,
      `${ascii(first)}.${ascii(last)}${index + 1}@${pick(["example.org", "Example.COM", "EXAMPLE.net"])}`,
      chance(0.85) ? pick(phones)() : "k. A.",
      chance(0.9) ? `${two(int(1, 28))}.${two(int(1, 12))}.${int(1941, 2004)}` : "",
      `${pick(streets)} ${int(1, 120)}${pick(["", "", "a", "b"])}`,
      zip,
      city,
      // Older customers were entered with two-digit years.
      chance(0.3) ? `${Number(since.slice(0, 2))}.${Number(since.slice(3, 5))}.${two(year % 100)}` : since + year,
      `${String(euros).replace(/\B(?=(\d{3})+$)/g, ".")},${two(int(0, 99))} €`,
      chance(0.5) ? `${int(0, 12)},5` : "k. A.",
      pick(["ja", "nein"]),
      some(interests, 0.4).join(", "),
      chance(0.7) ? String(int(1, 5)) : "",
      chance(0.4) ? `https://www.${ascii(last)}-${index + 1}.example.de/` : "",
      clock(2023),
      clock(2024),
      chance(0.1) ? "zahlt spät; Mahnung" : "",
    ]
  })
  return iconv.encode(csv([header.split(";"), ...rows], ";", "\r\n"), "windows-1252")
}

/** Returns the registrations for a conference, as its organisers keep them. */
const registrations = () => {
  const { chance, int, pick, some } = draws(2)
  const date = (year, month, day, hour = 0, minute = 0, z = "dd.mm.yyyy") => ({
    t: "n",
    v: (Date.UTC(year, month - 1, day, hour, minute) - Date.UTC(1899, 11, 30)) / 86_400_000,
    z,
  })
  const moment = "yyyy-mm-dd hh:mm"
  const header = [
    "Registration",
    "Registered at",
    "First name",
    "Last name",
    "E-mail",
    "Company",
    "Ticket",
    "Workshops",
    "Guests",
  ]
    .concat([
      "Vegetarian",
      "Arrival",
      "Arrives by",
      "Invitee",
      "Invitee e-mail",
      "Session from",
      "Session to",
      "Transaction",
      "Paid",
      "Currency",
      "Payment state",
      "Remarks",
    ])
  const rows = Array.from({ length: 96 }, (_, index) => {
    const first = pick(firstNames)
    const last = pick(lastNames)
    const email = `${ascii(first)}.${ascii(last)}@${pick(["example.com", "example.org"])}`
    const meets = chance(0.6)
    const day = int(11, 13)
    const hour = int(9, 16)
    const pays = chance(0.75)
    return [
      20_001 + index,
      date(2024, int(2, 5), int(1, 28), int(0, 23), int(0, 59), moment),
      first,
      last,
      email,
      chance(0.7) ? pick(["Nordwind GmbH", "Café Süd & Co.", "Łódź Analytics", "ООО Ромашка", "東京データ"]) : null,
      pick(["Student", "Regular", "Speaker", "Sponsor (gold, silver)"]),
      some(["Effects; the basics", "Typed errors", "Streams", "Testing"], 0.4).join("; ") || null,
      chance(0.8) ? int(0, 3) : null,
      chance(0.2) ? null : chance(0.3),
      date(2024, 6, int(9, 11)),
      chance(0.7) ? { t: "n", v: int(12 * 4, 22 * 4) / 96, z: "hh:mm" } : null,
      meets ? `${first} ${last}` : null,
      meets ? email : null,
      meets ? date(2024, 6, day, hour, 0, moment) : null,
      meets ? date(2024, 6, day, hour, 45, moment) : null,
      pays ? `TX-${int(100_000, 999_999)}-${index}` : null,
      pays ? { t: "n", v: int(4_900, 59_900) / 100, z: "#,##0.00" } : null,
      pays ? pick(["EUR", "USD"]) : null,
      pays ? pick(["paid", "refunded", "pending"]) : null,
      chance(0.1) ? "Needs a ramp; see mail of 3 June" : null,
    ]
  })
  const book = utils.book_new()
  const about = [["Conference 2024"], ["The registrations are on the second sheet."], ["Times are those of Lisbon."]]
  utils.book_append_sheet(book, utils.aoa_to_sheet(about), "About")
  const table = [["Conference 2024: registrations"], ["as of 7 June 2024"], [], header, ...rows]
  utils.book_append_sheet(book, utils.aoa_to_sheet(table), "Registrations")
  return write(book, { type: "buffer", bookType: "xlsx", compression: true })
}

/** Returns the tickets of a help desk that is about to close. */
const tickets = () => {
  const { chance, int, pick, some } = draws(3)
  const header =
    "ticket,opened_at,updated_at,agent,requester_first,requester_last,requester_email,subject,description,priority,channels,"
    + "page,incident_at,callback,due,hours,resolved,attachments,screenshot,screenshot_name,context,campaign,score"
  const rows = Array.from({ length: 120 }, (_, index) => {
    const first = chance(0.9) ? pick(firstNames) : ""
    const last = pick(lastNames)
    const day = (from, to) => `2024-${two(int(from, to))}-${two(int(1, 28))}`
    const shows = chance(0.3)
    const host = "https://files.example.com"
    return [
      `HD-${1000 + index}`,
      `${day(4, 6)} ${two(int(6, 22))}:${two(int(0, 59))}:${two(int(0, 59))}`,
      `${day(7, 9)}T${two(int(0, 23))}:${two(int(0, 59))}:00${pick(["Z", "+02:00", "-04:00"])}`,
      `${pick(["ada", "grace", "linus"])}@support.example.com`,
      first,
      last,
      chance(0.95) ? `${ascii(last)}.${index}@example.net` : "",
      pick(["Login fails", 'Invoice "4711" is wrong', "Export, slow", "Wünsche zur Übersicht", "App crashes 💥"]),
      pick([
        'It says "not allowed",\nthen nothing.',
        "See the picture, please.",
        "Since Monday.\r\n\r\nOn two machines.",
        "",
      ]),
      pick(["", "low", "normal", "high", "P1"]),
      some(["mail", "phone", "chat", "web form"], 0.4).join("|"),
      chance(0.6) ? `https://app.example.com/p/${int(1, 99)}?tab=${pick(["a", "b"])}&q=x,y` : "-",
      chance(0.5) ? `${int(4, 9)}/${int(1, 28)}/2024 ${int(1, 12)}:${two(int(0, 59))} ${pick(["AM", "PM"])}` : "-",
      chance(0.5) ? `${int(1, 12)}:${two(pick([0, 15, 30, 45]))} ${pick(["AM", "PM"])}` : "",
      chance(0.7) ? `${int(10, 12)}/${int(1, 28)}/2024` : "",
      chance(0.8) ? `${int(0, 40)}.${int(0, 9)}` : "-",
      pick(["yes", "no", "-"]),
      some(["log.txt", "trace%20one.json", "core,dump.bin"], 0.3).map((name) => `${host}/${index}/${name}`).join(","),
      shows ? `${host}/shots/${int(1000, 9999)}` : "",
      shows ? `screen ${index}.png` : "",
      chance(0.6)
        ? JSON.stringify({ os: pick(["linux", "mac"]), version: [int(1, 4), int(0, 9)], beta: chance(0.5) })
        : "",
      pick(["spring24", "newsletter", ""]),
      chance(0.6) ? String(int(0, 10)) : "",
    ]
  })
  return csv([header.split(","), ...rows], ",", "\n")
}

writeFileSync(join(folder, "contacts.csv"), contacts())
writeFileSync(join(folder, "registrations.xlsx"), registrations())
writeFileSync(join(folder, "tickets.csv"), tickets())
