/** Made when a code is met: the list takes a while to load. */
let codes: ReadonlySet<string> | undefined
const isCode = (text: string): boolean => (codes ??= new Set(Intl.supportedValuesOf("currency"))).has(text)

/** A currency's sign, which may stand behind letters (`US$`), or three letters that may be its code. */
const before = /^(?:[A-Z]{0,3}\p{Sc}|([A-Z]{3})(?![A-Za-z]))\s*/u
const after = /\s*(?:[A-Z]{0,3}\p{Sc}|(?<![A-Za-z])([A-Z]{3}))$/u

/** An amount without its currency's sign or code (ISO 4217), which may stand on either side, and between sign and digits. */
export const withoutCurrency = (text: string): string => {
  const sign = /^[-+\u2212]\s*/.exec(text)?.[0] ?? ""
  const amount = text.slice(sign.length)
  const found = before.exec(amount) ?? after.exec(amount)
  if (found === null || (found[1] !== undefined && !isCode(found[1]))) return text
  const rest = found.index === 0 ? amount.slice(found[0].length) : amount.slice(0, found.index)
  return sign + rest
}
