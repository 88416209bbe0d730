import { Schema } from "effect"
import { type CountryCode, getCountries, parsePhoneNumberFromString } from "libphonenumber-js/min"
import { oneText } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"

const options = {
  country: Schema.optional(Schema.String.annotations({
    description: "The country, by its ISO 3166 code, of numbers that are written without + and country code",
    examples: ["DE", "US"],
  })),
  ambiguous: Schema.optional(
    Schema.Literal("national", "international").annotations({
      description:
        "How to read a number without + that is valid both in `country` and with a + in front, such as 493511234574 with DE; an error when left out",
      examples: ["international"],
    }),
  ),
}

type Options = Schema.Struct.Type<typeof options>

const countries: ReadonlyArray<string> = getCountries()
const isCountry = (code: string): code is CountryCode => countries.includes(code)

/**
 * A phone number. The small metadata of libphonenumber decides what is one: length and shape of a country's numbers, not the ranges
 * given out today, which change. A number with an extension is an error, for E.164 has no place for it.
 */
export const phone: Kind<Options> = {
  name: "phone",
  description: "A phone number. Sent as E.164, such as +493012345678",
  options,
  sends: "string",
  parts: [],
  partKinds: {},
  many: false,
  types: ["PhoneNumber"],
  compile: (options) => {
    const country = options.country?.toUpperCase()
    if (country !== undefined && !isCountry(country)) {
      return [{
        option: "country",
        message: `"${options.country}" is no country code.`,
        suggestion: "Two letters of ISO 3166, such as DE, FR or US.",
      }]
    }
    const notAPhone = new Fault(
      "not-a-phone",
      country === undefined
        ? "a phone number with + and country code, such as +493012345678 (or set `country`)"
        : `a phone number of ${country}, or one with + and country code`,
    )
    const extension = new Fault("not-a-phone", "a phone number without an extension")
    const settings = country === undefined ? { extract: false } : { defaultCountry: country, extract: false }
    return oneText((text) => {
      const number = parsePhoneNumberFromString(text, settings)
      if (number === undefined || !number.isValid()) return notAPhone
      if (number.ext !== undefined) return extension
      const other = country === undefined || options.ambiguous === "national" ? undefined : withPlus(text)
      if (other === undefined || other === number.number) return number.number
      return options.ambiguous === "international" ? other : new Fault(
        "not-a-phone",
        `a number that can be read in one way only: in ${country} it is ${number.number}, with + in front it is ${other}. Write it with + and country code, or set \`ambiguous\``,
      )
    })
  },
  compare: (sent, returned) => {
    if (sent === returned) return same
    if (typeof sent !== "string" || typeof returned !== "string") return different
    const [a, b] = [canonical(sent), canonical(returned)]
    return a !== undefined && a === b ? equivalent("way of writing") : different
  },
}

/** The number that a text is with + in front, if it is a valid one. Country codes begin with no 0, and nobody writes +(. */
const withPlus = (text: string): string | undefined => {
  if (!/^[1-9]/.test(text)) return undefined
  const number = parsePhoneNumberFromString(`+${text}`, { extract: false })
  return number?.isValid() === true ? number.number : undefined
}

/** E.164 with an extension, if any; undefined for what is no number with a country code. */
const canonical = (text: string): string | undefined => {
  // RFC 3966: a number as an address.
  const number = parsePhoneNumberFromString(text.replace(/^tel:/i, ""), { extract: false })
  return number === undefined ? undefined : `${number.number};${number.ext ?? ""}`
}
