/** Returns a word of a command line as a POSIX shell reads it back. */
const shellWord = (word: string): string => /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** Returns a formferry command as a POSIX shell reads it back. Omits options without a value. */
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
