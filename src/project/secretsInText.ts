const credentialsInAddress = /(?<=:\/\/)[^/@\s"']+(?=@)/g
/** A literal behind a key that is named like a secret, up to the end of the line. */
const literalSecret = /(?<=(?:api[-_ ]?key|secret|token|password)["']?\s*:\s+)(?!\{\s*(?:env|file)\b|\{?\s*$).+$/i

/** Whether a key is named like one whose value must not be shown. */
export const isSecretKey = (key: string): boolean => /^(api[-_ ]?key|secret|token|password)$/i.test(key)

/** Whether text can be the name of an environment variable; what can't may be a key that was pasted in its place. */
export const isVariableName = (text: string): boolean => /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)

/** As long as what it stands for, so that columns still fit. */
const masked = (secret: string): string => "•".repeat(secret.length)

/**
 * A line for people, without what must never be printed.
 * @param ranges columns (from 0, end excluded) that hold a secret
 * @param parsed whether these are all: in a file that can't be parsed, what looks like a secret is taken for one
 */
export const withoutSecrets = (
  line: string,
  ranges: ReadonlyArray<readonly [number, number]>,
  parsed: boolean,
): string => {
  let shown = line
  for (const [from, to] of ranges) shown = shown.slice(0, from) + masked(shown.slice(from, to)) + shown.slice(to)
  shown = shown.replace(credentialsInAddress, masked)
  return parsed ? shown : shown.replace(literalSecret, masked)
}
