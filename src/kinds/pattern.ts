import { RE2JS, RE2JSException } from "re2js"

/** A match: the whole text found, then its groups. A group that did not match is undefined. */
export interface Match {
  readonly groups: ReadonlyArray<string | undefined>
  readonly named: (name: string) => string | undefined
}

/** A regular expression that takes time in proportion to the text, whatever the expression (RE2: no look-around, no back-references). */
export interface Pattern {
  /** Names of its named groups. */
  readonly names: ReadonlyArray<string>
  /** Whether it is found anywhere in the text. */
  readonly test: (text: string) => boolean
  /** Returns the first match in the text. */
  readonly exec: (text: string) => Match | undefined
}

/** Compiles an expression. Returns a text that says what is wrong if it is invalid. */
export const compilePattern = (expression: string): Pattern | string => {
  try {
    const compiled = RE2JS.compile(expression)
    const groups = compiled.groupCount()
    return {
      names: Object.keys(compiled.namedGroups()),
      test: (text) => compiled.test(text),
      exec: (text) => {
        const matcher = compiled.matcher(text)
        if (!matcher.find()) return undefined
        return {
          groups: Array.from({ length: groups + 1 }, (_, index) => matcher.group(index) ?? undefined),
          named: (name) => matcher.group(name) ?? undefined,
        }
      },
    }
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const about = error.message.replace(/^error parsing regexp: /, "")
    return /`\(\?(?:=|!|<=|<!)/.test(about) || /escape.*`\\[1-9]/.test(about)
      ? `Expressions with look-around or back-references are not supported: ${about}.`
      : `This is not a regular expression: ${about}.`
  }
}
