/** What stands in for a secret in a line that is shown. */
const mask = "•••"

const credentialsInAddress = /(:\/\/)[^/@\s"']+@/g
/** A literal behind a key that is named like a secret, up to the end of the line: used where the file can't be parsed. */
const literalSecret = /((?:api[-_ ]?key|secret|token|password)["']?\s*:\s+)(?!\{\s*(?:env|file)\b|\{?\s*$)(.+)$/i

/** Whether a key is named like one whose value must not be shown. */
export const isSecretKey = (key: string): boolean => /^(api[-_ ]?key|secret|token|password)$/i.test(key)

/** A line for people, without what must never be printed. `ranges`: columns (from 0, end excluded) that hold a secret. */
export const withoutSecrets = (line: string, ranges: ReadonlyArray<readonly [number, number]>): string => {
  let shown = line
  for (const [from, to] of ranges.toSorted((a, b) => b[0] - a[0])) {
    shown = shown.slice(0, from) + mask + shown.slice(to)
  }
  return shown.replace(credentialsInAddress, `$1${mask}@`).replace(literalSecret, `$1${mask}`)
}
