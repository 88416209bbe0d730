import { RE2JS, RE2JSException } from "re2js"

/** A match: the whole matching text, then its groups. A group that did not match is undefined. */
export interface Match {
  readonly groups: ReadonlyArray<string | undefined>
  readonly named: (name: string) => string | undefined
}

/** A regular expression whose matching time is proportional to the text's length (RE2: no look-around, no back-references). */
export interface Pattern {
  /** The names of the expression's named groups. */
  readonly names: ReadonlyArray<string>
  /** Whether the expression matches anywhere in the text. */
  readonly test: (text: string) => boolean
  /** Returns the first match in the text. Undefined if there is none. */
  readonly exec: (text: string) => Match | undefined
}

/** Compiles an expression. For an invalid one, returns a text that says what is wrong. */
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
