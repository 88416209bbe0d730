import type { YamlPath } from "../domain/diagnostic.ts"
import type { Element, Question } from "../domain/form.ts"
import { brief } from "../domain/problem.ts"
import { kindNamed, kindOfType } from "../kinds/index.ts"
import { Fault, ofColumns, type Parse } from "../kinds/Kind.ts"
import type { KindOptions, MappingEntry } from "../project/Pipeline.ts"
import { isKnownType } from "../service/wire.ts"
import type { AnswerDraft, CompileContext, TextRedirect, TextRedirects } from "./CompileContext.ts"
import { type AnswerSpec, compileKind, optionsOf } from "./compileKind.ts"
import { meantBy, theOnly } from "./findElement.ts"
import type { Findings } from "./Findings.ts"
import { cellProblem } from "./problems.ts"

/** Returns an empty list of redirects to a form's questions. */
export const textRedirects = (questions: ReadonlyArray<Question>, findings: Findings): TextRedirects => {
  const opened = new Map<string, TextRedirect>()
  return {
    open: (textTo, from, path) => {
      const to = theOnly(meantBy(textTo, questions), textTo, questions, "questions", path, findings)
      if (to === undefined) return undefined
      const before = opened.get(to.id)
      if (before !== undefined && before.from.id !== from.id) {
        findings.error(path, `"${brief(to.name)}" already gets texts of "${brief(before.from.name)}".`)
        return undefined
      }
      const redirect = before ?? { to, from, path, texts: [] }
      opened.set(to.id, redirect)
      return redirect
    },
    from: (element) => [...opened.values()].filter((redirect) => redirect.from.id === element.id),
    start: () => {
      for (const { texts } of opened.values()) texts.length = 0
    },
  }
}

/** Returns the questions to which an entry's options redirect texts, by name or id, and the place of each in the file. */
const targetsOf = (options: KindOptions, path: YamlPath): ReadonlyArray<readonly [string, YamlPath]> =>
  ["other", "otherwise"].flatMap((option) => {
    const value = options[option]
    return typeof value === "object" && value !== null && "textTo" in value && typeof value.textTo === "string"
      ? [[value.textTo, [...path, option, "textTo"]]]
      : []
  })

/** Returns the entries that redirect texts to other questions (`textTo`), by the id of the question that gets the texts. */
export const redirectingEntries = (
  entries: ReadonlyArray<MappingEntry>,
  questions: ReadonlyArray<Question>,
): ReadonlyMap<string, MappingEntry> =>
  new Map(
    entries.flatMap((entry) =>
      targetsOf(entry.options, entry.path).flatMap(([name]) =>
        meantBy(name, questions).map(({ id }) => [id, entry] as const)
      )
    ),
  )

/** Adds the redirects of an entry. Returns the function that redirects a text, or undefined if the entry has no redirects. */
export const redirectOf = (asked: AnswerSpec, options: KindOptions, context: CompileContext) => {
  const targets = targetsOf(options, asked.path)
  if (targets.length === 0 || asked.question === undefined) return undefined
  const redirects = new Map(targets.map(([name, path]) => [name, context.redirects.open(name, asked, path)] as const))
  return (text: string, to: string) => void redirects.get(to)?.texts.push(text)
}

/**
 * Compiles the answers that receive texts from a different question's cells. They must be read directly after that
 * question.
 */
export const compileRedirects = (
  from: Element,
  entries: ReadonlyArray<MappingEntry>,
  source: AnswerDraft | undefined,
  context: CompileContext,
): ReadonlyArray<AnswerDraft> => {
  if (source === undefined || source.answer.id !== from.id) return []
  return context.redirects.from(from).flatMap((redirect) => {
    const parse = parseOf(redirect, entries, context)
    if (parse === undefined) return []
    const { columns } = source
    const blamed = columns.at(-1)
    const answer: AnswerDraft = {
      answer: {
        id: redirect.to.id,
        name: redirect.to.name,
        kind: parse.kind,
        list: "questions",
        known: isKnownType(redirect.to.type),
      },
      entries: [],
      options: undefined,
      columns,
      fromCells: true,
      unique: undefined,
      read: (_cells, problems) => {
        if (redirect.texts.length === 0) return undefined
        const text = redirect.texts.join(", ")
        const value = parse.parse([text])
        if (!(value instanceof Fault)) return value
        if (blamed !== undefined) problems.push(cellProblem(redirect.to.id, blamed, text, value))
        return undefined
      },
    }
    return [answer]
  })
}

const parseOf = (
  { to, path }: TextRedirect,
  entries: ReadonlyArray<MappingEntry>,
  context: CompileContext,
): { readonly parse: Parse; readonly kind: string } | undefined => {
  const kind = kindOfType(to.type) ?? kindNamed("text")
  if (kind === undefined || kind.sends !== "string" || kind.parts !== undefined) {
    context.findings.error(path, `"${brief(to.name)}" is of the type ${to.type}, which accepts no text.`)
    return undefined
  }
  const asked = { id: to.id, name: to.name, kind, options: {}, question: to, path: entries[0]?.path ?? path }
  const options = optionsOf(asked, undefined, context)
  const parse = compileKind(asked, options, undefined, ofColumns, { empty: new Set() }, context)
  return parse === undefined ? undefined : { parse, kind: kind.name }
}
