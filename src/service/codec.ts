import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { hash } from "node:crypto"
import type { Element, Form } from "../domain/form.ts"
import type { Item } from "../domain/item.ts"
import { canonicalJson, isObject, type Json, type JsonObject } from "../domain/json.ts"
import type { Submission } from "../domain/submission.ts"
import type { CreatedSubmissions, ListedPage } from "./FormService.ts"
import { FormMetadata, gatewayNames, ListedForms, returnedSubmission, submissionIdOf } from "./wire.ts"

/** Converts the bodies of requests and responses to domain values and back. Returns `undefined` if a body is not as specified. */
export interface Codec {
  readonly form: (body: Uint8Array) => Form | undefined
  readonly created: (body: Uint8Array) => CreatedSubmissions | undefined
  readonly read: (body: Uint8Array) => Submission | undefined
  readonly list: (body: Uint8Array) => ListedPage | undefined
  readonly forms: (body: Uint8Array) => ReadonlyArray<Pick<Form, "id" | "name">> | undefined
  readonly createRequest: (items: ReadonlyArray<Item>) => Buffer
}

const text = new TextDecoder("utf-8", { fatal: true })

/** Returns the JSON value of a body, or undefined if the body is HTML, cut short or not UTF-8. */
export const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(text.decode(body))
  } catch {
    return undefined
  }
}

const decodeForm = Schema.decodeUnknownOption(FormMetadata)

const decodeForms = Schema.decodeUnknownOption(ListedForms)

const present = <A>(list: ReadonlyArray<A | null> | undefined): ReadonlyArray<A> =>
  list === undefined ? [] : list.filter((element) => element !== null)

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

/** Omits forms without an id. */
const toForms = (wire: typeof ListedForms.Type): ReadonlyArray<Pick<Form, "id" | "name">> =>
  present(wire).flatMap(({ id: own, formId: id = own, name }) => id === undefined ? [] : [{ id, name: name ?? id }])

/** Returns the codec for a deployment whose payment processor has this name. Call it once for each service. */
export const makeCodec = (gateway: string): Codec => {
  const names = gatewayNames(gateway).filter(([neutral, wire]) => neutral !== wire)

  const rename = (value: JsonObject, from: 0 | 1, to: 0 | 1): JsonObject => {
    if (names.length === 0) return value
    const renamed: Record<string, Json> = { ...value }
    for (const pair of names) {
      if (!(pair[from] in renamed)) continue
      renamed[pair[to]] = renamed[pair[from]] ?? null
      delete renamed[pair[from]]
    }
    return renamed
  }

  const toSubmission = (wire: unknown) => returnedSubmission(wire, (payment) => rename(payment, 1, 0))

  const toWire = (item: Item): object =>
    item.payments === undefined ? item : {
      ...item,
      payments: item.payments.map(({ id, value }) => {
        // The service returns discount codes, but does not accept them (service interface, "Submission item").
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
      const found = list.map(submissionIdOf)
      // If an id occurs twice, it is unknown to which submission it belongs.
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
    list: (body) => {
      const answer = parseJson(body)
      if (!isObject(answer)) return undefined
      const { responses, totalResponses: total } = answer
      if (!Array.isArray(responses) || !Number.isSafeInteger(total)) return undefined
      const submissions = responses.flatMap((wire: unknown) => toSubmission(wire) ?? [])
      return { submissions, malformed: responses.length - submissions.length, total: total as number }
    },
    forms: (body) => Option.getOrUndefined(Option.map(decodeForms(parseJson(body)), toForms)),
    createRequest: (items) => Buffer.from(JSON.stringify({ submissions: items.map(toWire) })),
  }
}

/**
 * Returns a SHA-256 digest of a form's metadata, in hexadecimal digits. The order of members does not matter. If the digest differs, the form has
 * changed.
 */
export const formFingerprint = (form: Form): string => hash("sha256", canonicalJson(form))
