/** Written where a service's words repeat the API key. */
const mask = "<the API key>"

const named: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" }

const literal = (text: string): string => text.replaceAll(/[^\w]/g, String.raw`\$&`)

/** A character as it is, percent-encoded (once or several times), escaped in JSON (at any depth) or as an HTML entity. */
const encoded = (character: string): string => {
  const code = character.charCodeAt(0)
  const hex = code.toString(16).padStart(2, "0")
  const entity = named[character]
  const forms = [
    literal(character),
    `%(?:25)*${hex}`,
    `u00${hex}`,
    `&#0*${code};`,
    `&#x0*${hex};`,
    ...(entity === undefined ? [] : [`&${entity};`]),
  ]
  return String.raw`\\*(?:${forms.join("|")})`
}

/** What stands in Base64 of any text for these bytes in it, by how many bytes stand before them modulo 3: characters that their neighbours share are left out. */
const inBase64 = (bytes: Buffer): ReadonlyArray<string> =>
  [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]).toString("base64")
    return text.slice(Math.ceil((before * 4) / 3), Math.floor(((before + bytes.length) * 4) / 3))
  })

/**
 * Makes a function that masks a key in a service's words: as it is, escaped or percent-encoded, in hexadecimal digits, and in Base64, also of a text that contains it (`Bearer KEY`).
 *
 * @param key of printable ASCII characters
 */
export const maskKey = (key: string): (text: string) => string => {
  const bytes = Buffer.from(key)
  const coded = inBase64(bytes).flatMap((text) => [text, text.replaceAll("+", "-").replaceAll("/", "_")])
  const pattern = [
    Array.from(key, encoded).join(""),
    bytes.toString("hex"),
    // A few characters may be part of any word.
    ...[...new Set(coded)].filter((text) => text.length >= 8).map(literal),
  ].join("|")
  const found = new RegExp(pattern, "gi")
  return (text) => text.replaceAll(found, mask)
}
