import * as Schema from "effect/Schema"
import { type CountryCode, getCountries, parsePhoneNumberFromString } from "libphonenumber-js/min"
import { oneText } from "./cells.ts"
import { compareTextBy } from "./compared.ts"
import { Fault, type Kind, option } from "./Kind.ts"

const options = {
  country: option(
    Schema.String,
    "The country of numbers that are written without + and country code, as an ISO 3166 code",
    "DE",
    "US",
  ),
  ambiguous: option(
    Schema.Literal("national", "international"),
    "How to read a number without + that is valid both in `country` and with + in front, such as 493511234574 for DE. By default, such a number is an error",
    "international",
  ),
}

type Options = Schema.Struct.Type<typeof options>

const countries: ReadonlyArray<string> = getCountries()
const isCountry = (code: string): code is CountryCode => countries.includes(code)

/**
 * Reads a string as if it had a + in front. Undefined if the number is not valid. The string must start with a digit from 1 to 9, as every country code does.
 */
const withPlus = (text: string): string | undefined => {
  if (!/^[1-9]/.test(text)) return undefined
  const number = parsePhoneNumberFromString(`+${text}`, { extract: false })
  return number?.isValid() === true ? number.number : undefined
}

/**
 * A phone number. libphonenumber's small metadata decides what is valid. It checks the length and shape of a country's numbers, but not the ranges in
 * use, which change. A number with an extension is an error, because E.164 has no place for it.
 */
export const phone: Kind<Options> = {
  name: "phone",
  description: "A phone number. Sent as E.164, such as +493012345678",
  options,
  sends: "string",
  types: ["PhoneNumber"],
  compile: (options) => {
    const country = options.country?.toUpperCase()
    if (country !== undefined && !isCountry(country)) {
      return [{
        option: "country",
        message: `"${options.country}" is not a country code.`,
        suggestion: "Use two letters of ISO 3166, such as DE, FR or US.",
      }]
    }
    const notAPhone = new Fault(
      "not-a-phone",
      country === undefined
        ? "a phone number with + and country code, such as +493012345678 (or set `country`)"
        : `a phone number of ${country}, or one with + and country code`,
    )
    const extension = new Fault("not-a-phone", "a phone number without an extension")
    const several = new Fault("not-a-phone", "a single phone number (the digits after the slash belong to another one)")
    const settings = country === undefined ? { extract: false } : { defaultCountry: country, extract: false }
    return oneText((text) => {
      const number = parsePhoneNumberFromString(text, settings)
      if (number === undefined || !number.isValid()) return notAPhone
      if (number.ext !== undefined) return extension
      // Germans write the last digits of a second line after a slash: 030 1234567/8.
      const [first = "", ...others] = text.split(/\s\/\s|\/(?=\d{1,2}$)/)
      if (others.length > 0 && parsePhoneNumberFromString(first, settings)?.isValid() === true) return several
      const other = country === undefined || options.ambiguous === "national" ? undefined : withPlus(text)
      if (other === undefined || other === number.number) return number.number
      return options.ambiguous === "international" ? other : new Fault(
        "not-a-phone",
        `an unambiguous number. This one is ${number.number} in ${country}, but ${other} with + in front. Write it with + and the country code, or set \`ambiguous\``,
      )
    })
  },
  compare: compareTextBy((text) => {
    // RFC 3966 defines numbers that are written as URIs.
    const number = parsePhoneNumberFromString(text.replace(/^tel:/i, ""), { extract: false })
    return number === undefined ? undefined : `${number.number};${number.ext ?? ""}`
  }, "way of writing"),
}
