import type { Element, Form } from "../domain/form.ts"
import { paymentParts, schedulingParts } from "../kinds/elements.ts"
import { kinds } from "../kinds/index.ts"
import type { Kind } from "../kinds/Kind.ts"
import type { MappingEntry, Pipeline } from "../project/Pipeline.ts"
import { suggest } from "../project/suggestion.ts"
import { chooseKind, namedKind } from "./chooseKind.ts"
import { compileElement } from "./compileElement.ts"
import type { CompiledEntry, Workshop } from "./compileEntry.ts"
import { compileEntry } from "./compileEntry.ts"
import type { Filled } from "./fingerprint.ts"
import type { MappedAnswer } from "./Mapping.ts"
import type { ListWords } from "./targets.ts"
import { target } from "./targets.ts"

/** An entry with its place in the item, ready to read rows. */
export interface CompiledAnswer extends Filled, CompiledEntry {}

type List = MappedAnswer["list"]
type Place = { readonly kind: Kind | undefined; readonly kindName?: string } & Pick<Filled, "options">

const words: Readonly<Record<Exclude<List, "own">, ListWords>> = {
  questions: { one: "question", many: "questions" },
  urlParameters: { one: "URL parameter", many: "URL parameters" },
  scheduling: { one: "scheduling field", many: "scheduling fields" },
  payments: { one: "payment field", many: "payment fields" },
}

/** Compiles every entry of a mapping; what is wrong with an entry is found, and the others go on. */
export const compileAnswers = (pipeline: Pipeline, form: Form, workshop: Workshop): ReadonlyArray<CompiledAnswer> => {
  const { findings } = workshop
  const { mapping } = pipeline
  const places: Array<Omit<MappedAnswer, "tolerated">> = []
  const compiled: Array<Omit<CompiledAnswer, "answer"> & { readonly place: Omit<MappedAnswer, "tolerated"> }> = []

  const add = (
    list: List,
    entry: MappingEntry,
    element: Element,
    place: Place,
    done: CompiledEntry | undefined,
  ): void => {
    const answer = { id: element.id, name: element.name, kind: place.kind?.name ?? place.kindName ?? "json", list }
    places.push(answer)
    if (done !== undefined) compiled.push({ place: answer, entry, options: place.options, ...done })
  }

  /** Finds what each entry fills, refuses a second entry for the same, and compiles it. */
  const fill = <E extends Element>(
    list: Exclude<List, "own">,
    entries: ReadonlyArray<MappingEntry>,
    elements: ReadonlyArray<E>,
    compileOne: (entry: MappingEntry, element: E) => readonly [Place, CompiledEntry | undefined],
  ): void => {
    const filled = new Map<string, number>()
    for (const entry of entries) {
      const element = target(entry, elements, words[list], findings)
      if (element === undefined) {
        // Its columns are looked up all the same, so that all that is missing shows at once.
        touchColumns(entry, workshop)
        continue
      }
      const line = filled.get(element.id)
      if (line !== undefined) {
        findings.error(
          entry.path,
          `The ${words[list].one} "${element.name}" is already filled by the entry in line ${line}.`,
        )
      } else filled.set(element.id, pipeline.document.at(entry.path).line)
      const [place, done] = compileOne(entry, element)
      add(list, entry, element, place, done)
    }
  }

  fill("questions", mapping.questions, form.questions, (entry, question) => {
    const kind = chooseKind(entry, question, findings)
    if (kind === undefined) {
      touchColumns(entry, workshop)
      return [{ kind, options: undefined }, undefined]
    }
    return [{ kind, options: question.options }, compileEntry(entry, { ...question, kind, question }, workshop)]
  })

  fill("urlParameters", mapping.urlParameters, form.urlParameters, (entry, parameter) => {
    const kind = entry.as === undefined ? kinds.get("text") : namedKind(entry, findings)
    if (kind !== undefined && (kind.sends === "array" || kind.sends === "any")) {
      findings.error([...entry.path, "as"], `A URL parameter is a text: it can't be of the kind ${kind.name}.`)
    }
    return [
      { kind, options: undefined },
      kind === undefined ? undefined : compileEntry(entry, { ...parameter, kind }, workshop),
    ]
  })

  const own = (id: string, entry: MappingEntry | undefined, name: "dateTime" | "email"): void => {
    if (entry === undefined) return
    if (entry.as !== undefined && entry.as !== name) {
      findings.error([...entry.path, "as"], `${id} is always of the kind ${name}.`, "Leave `as` out.")
    }
    const kind = kinds.get(name)
    const element = { id, name: id }
    const done = kind === undefined ? undefined : compileEntry(entry, { ...element, kind }, workshop)
    add("own", entry, element, { kind, options: undefined }, done)
  }
  own("submissionTime", mapping.submissionTime, "dateTime")
  own("lastUpdatedAt", mapping.lastUpdatedAt, "dateTime")
  own("login", mapping.login, "email")

  fill("scheduling", mapping.scheduling, form.scheduling, (entry, element) => [
    { kind: undefined, kindName: "scheduling", options: undefined },
    compileElement(entry, element, schedulingParts, workshop),
  ])
  fill("payments", mapping.payments, form.payments, (entry, element) => [
    { kind: undefined, kindName: "payment", options: undefined },
    compileElement(entry, element, paymentParts, workshop),
  ])

  const tolerated = tolerations(pipeline, places, workshop)
  return compiled.map(({ place, ...rest }) => ({
    ...rest,
    answer: { ...place, tolerated: tolerated.get(`${place.list} ${place.id}`) },
  }))
}

const touchColumns = ({ input }: MappingEntry, { columns }: Workshop): void => {
  const inputs = input._tag === "Parts" ? input.parts.map((part) => part.input) : [input]
  for (const each of inputs) if (each._tag !== "Value") { for (const name of each.columns) columns.find(name) }
}

/** Which answers may come back different, and why. */
const tolerations = (
  pipeline: Pipeline,
  places: ReadonlyArray<Omit<MappedAnswer, "tolerated">>,
  { findings }: Workshop,
): ReadonlyMap<string, string> => {
  const tolerated = new Map<string, string>()
  for (const { because, id, name, path } of pipeline.reconcile.tolerate) {
    const meant = places.filter((place) =>
      (id === undefined || place.id === id) && (name === undefined || place.name.trim() === name.trim())
    )
    for (const place of meant) tolerated.set(`${place.list} ${place.id}`, because)
    if (meant.length === 0) {
      const names = places.map((place) => (id === undefined ? place.name : place.id))
      findings.error(
        path,
        `Nothing that is mapped is called "${name ?? id}".`,
        suggest(name ?? id ?? "", names, "Mapped are"),
      )
    }
  }
  return tolerated
}
