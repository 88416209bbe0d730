const powers = Array.from({ length: 16 }, (_, exponent) => 10 ** exponent)

/**
 * The number that a text of digits names, with a minus and a point or without: `-12.5`. NaN for any other text, and for more than 15 digits. It is the very number
 * that `Number(text)` gives, in a tenth of its time: digits and power of ten are exact, so that their quotient is the nearest number there is.
 *
 * @param point whether there may be a point
 */
export const plainDecimal = (text: string, point: boolean): number => {
  const { length } = text
  if (length > 17) return NaN
  const negative = length > 0 && text.charCodeAt(0) === 45
  let value = 0
  let digits = 0
  let whole = -1
  for (let at = negative ? 1 : 0; at < length; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit >= 0 && digit <= 9) {
      value = value * 10 + digit
      digits++
    } else if (digit === -2 && point && whole < 0 && digits > 0) whole = digits
    else return NaN
  }
  if (digits === 0 || digits > 15 || digits === whole) return NaN
  const size = whole < 0 ? value : value / powers[digits - whole]!
  return negative ? -size : size
}
