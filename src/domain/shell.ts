/** Quotes a word of a command line, if necessary, so that a POSIX shell reads it unchanged. */
const shellWord = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Returns a formferry command, quoted for a POSIX shell. Omits options without a value. */
export const commandLine = (
  words: ReadonlyArray<string>,
  options: Readonly<Record<string, string | true | undefined>> = {},
): string =>
  [
    "formferry",
    ...words,
    ...Object.entries(options).flatMap(([name, value]) =>
      value === undefined ? [] : value === true ? [name] : [name, value]
    ),
  ].map(shellWord).join(" ")
