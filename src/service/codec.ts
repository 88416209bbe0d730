import { Option, Schema } from "effect"
import { createHash } from "node:crypto"
import type { Element, Form } from "../domain/form.ts"
import type { Item, PaymentValue, SchedulingValue } from "../domain/item.ts"
import { canonicalJson, deeperThan, isObject } from "../domain/json.ts"
import type { Json } from "../domain/json.ts"
import type { ReturnedAnswer, Submission } from "../domain/submission.ts"
import { FormMetadata, gatewayNames, isKnownType, ReturnedSubmission } from "./wire.ts"

/** Bodies of the three operations to values of the domain and back. `undefined`: the body is not as specified. */
export interface Codec {
  readonly form: (body: Uint8Array) => Form | undefined
  /** Each submission alone; `undefined` for one that is malformed or whose id occurs more than once. `ids`: every submission id that could be found, also in malformed ones, in the answer's order. */
  readonly created: (
    body: Uint8Array,
  ) => { readonly submissions: ReadonlyArray<Submission | undefined>; readonly ids: ReadonlyArray<string> } | undefined
  readonly read: (body: Uint8Array) => Submission | undefined
  readonly createRequest: (items: ReadonlyArray<Item>) => Buffer
}

const text = new TextDecoder("utf-8", { fatal: true })

/** The JSON value of a body, or undefined: HTML, cut short, not UTF-8. */
export const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(text.decode(body))
  } catch {
    return undefined
  }
}

const decodeForm = Schema.decodeUnknownOption(FormMetadata)
const decodeSubmission = Schema.decodeUnknownOption(ReturnedSubmission)

const present = <A>(list: ReadonlyArray<A | null> | undefined): ReadonlyArray<A> =>
  list === undefined ? [] : list.filter((element) => element !== null)

/** Only the members that are there: a value's odd and missing members are left out. */
const defined = <A extends object>(value: A): { [K in keyof A]?: Exclude<A[K], undefined> } => {
  const result: { [K in keyof A]?: Exclude<A[K], undefined> } = {}
  for (const key of Object.keys(value) as Array<keyof A>) {
    const member = value[key]
    if (member !== undefined) result[key] = member as Exclude<A[typeof key], undefined>
  }
  return result
}

const element = ({ id, name }: { readonly id: string; readonly name?: string | undefined }): Element => ({
  id,
  name: name ?? id,
})

const toForm = (wire: typeof FormMetadata.Type): Form => ({
  id: wire.id ?? "",
  name: wire.name ?? "",
  questions: present(wire.questions).map((question) => ({
    ...element(question),
    type: question.type,
    options: question.options === undefined
      ? undefined
      : present(question.options).map(({ value, label }) => ({ value, label: label ?? value })),
  })),
  calculations: present(wire.calculations).map(element),
  urlParameters: present(wire.urlParameters).map(element),
  scheduling: present(wire.scheduling).map(element),
  payments: present(wire.payments).map(element),
  quiz: wire.quiz?.enabled === undefined ? undefined : { enabled: wire.quiz.enabled },
})

/** How deep lists and objects may be nested in a returned value: recursive functions must not exhaust the stack. */
const deepest = 500

const tooDeep = `nested more than ${deepest} deep`

/** Returns a value as it was returned, or a text instead of one that is nested too deep. */
const returnedValue = (value: unknown): Json => {
  // What JSON.parse gave is JSON.
  const json = value === undefined ? null : value as Json
  return deeperThan(json, deepest) ? `(${tooDeep})` : json
}

/** Returns a question's answer as it was returned. One of an unknown type, or nested too deep, is marked as not known: it can't be compared. */
const returnedAnswer = ({ id, name, type, value }: {
  readonly id: string
  readonly name?: string | undefined
  readonly type?: string | undefined
  readonly value?: unknown
}): ReturnedAnswer =>
  typeof value === "object" && deeperThan(value as Json, deepest)
    ? { id, name, type: type === undefined ? tooDeep : `${type}, ${tooDeep}`, known: false, value: null }
    : { id, name, type, known: isKnownType(type), value: (value ?? null) as Json }

/** The codec for a deployment whose payment processor has this name; built once per service. */
export const makeCodec = (gateway: string): Codec => {
  const names = gatewayNames(gateway).filter(([neutral, wire]) => neutral !== wire)

  const rename = (value: object, from: 0 | 1, to: 0 | 1): object => {
    if (names.length === 0) return value
    const renamed: Record<string, unknown> = { ...value }
    for (const pair of names) {
      if (!(pair[from] in renamed)) continue
      renamed[pair[to]] = renamed[pair[from]]
      delete renamed[pair[from]]
    }
    return renamed
  }

  /** The payments' wire names by ours; whatever is odd is left for the Schema. */
  const neutral = (wire: unknown): unknown => {
    if (names.length === 0 || !isObject(wire) || !Array.isArray(wire["payments"])) return wire
    const payments = wire["payments"].map((payment: unknown) =>
      isObject(payment) && isObject(payment["value"])
        ? { ...payment, value: rename(payment["value"], 1, 0) }
        : payment
    )
    return { ...wire, payments }
  }

  const toSubmission = (body: unknown): Submission | undefined => {
    const decoded = decodeSubmission(neutral(body))
    if (Option.isNone(decoded)) return undefined
    const wire = decoded.value
    return {
      submissionId: wire.submissionId,
      submissionTime: wire.submissionTime,
      lastUpdatedAt: wire.lastUpdatedAt,
      questions: present(wire.questions).map(returnedAnswer),
      calculations: present(wire.calculations).map(returnedAnswer).map(({ id, name, type, value }) => ({
        id,
        name,
        type,
        value,
      })),
      urlParameters: present(wire.urlParameters).map(({ id, name, value }) => ({
        id,
        name,
        value: value == null ? null : typeof value === "string" ? value : JSON.stringify(returnedValue(value)),
      })),
      scheduling: present(wire.scheduling).map(({ id, name, value }) => ({
        id,
        name,
        value: value === undefined ? null : defined(value) satisfies SchedulingValue,
      })),
      payments: present(wire.payments).map(({ id, name, value }) => ({
        id,
        name,
        value: value === undefined ? null : defined(value) satisfies PaymentValue,
      })),
      quiz: wire.quiz === undefined ? undefined : { score: wire.quiz.score, maxScore: wire.quiz.maxScore },
      login: wire.login === undefined ? undefined : { email: wire.login.email },
      editLink: wire.editLink,
    }
  }

  const toWire = (item: Item): object =>
    item.payments === undefined ? item : {
      ...item,
      payments: item.payments.map(({ id, value }) => {
        // Only ever returned, never sent (service interface, "Submission item").
        const { discountCode: _, ...sent } = value
        return { id, value: rename(sent, 0, 1) }
      }),
    }

  return {
    form: (body) => Option.getOrUndefined(Option.map(decodeForm(parseJson(body)), toForm)),
    created: (body) => {
      const answer = parseJson(body)
      const list = isObject(answer) ? answer["submissions"] : undefined
      if (!Array.isArray(list)) return undefined
      const found = list.map((wire: unknown) => {
        const id = isObject(wire) ? wire["submissionId"] : undefined
        return typeof id === "string" && id !== "" ? id : undefined
      })
      // An id that occurs twice does not say which of the two it is.
      const isRepeated = (id: string | undefined) => id !== undefined && found.indexOf(id) !== found.lastIndexOf(id)
      return {
        submissions: list.map((wire: unknown, index) => (isRepeated(found[index]) ? undefined : toSubmission(wire))),
        ids: [...new Set(found.filter((id) => id !== undefined))],
      }
    },
    read: (body) => {
      const answer = parseJson(body)
      return isObject(answer) ? toSubmission(answer["submission"]) : undefined
    },
    createRequest: (items) => Buffer.from(JSON.stringify({ submissions: items.map(toWire) })),
  }
}

/** Returns a SHA-256 digest (hex) of a form's metadata, whatever the order of members: a different digest means that the form changed. */
export const formFingerprint = (form: Form): string => createHash("sha256").update(canonicalJson(form)).digest("hex")
