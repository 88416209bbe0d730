import type { Json } from "./json.ts"
import { namesOf } from "./words.ts"

/** The value for a question. */
export interface Answer {
  readonly id: string
  readonly value: Json
}

export interface UrlParameterValue {
  readonly id: string
  readonly name: string
  readonly value: string
}

/** A scheduling or payment value, by the names of its parts (`kinds/elements.ts`). */
export type ElementValue = Readonly<Record<string, string | number>>

/** A row as it is sent to the service. Members without content are omitted. */
export interface Item {
  readonly questions: ReadonlyArray<Answer>
  readonly urlParameters?: ReadonlyArray<UrlParameterValue>
  readonly submissionTime?: string
  readonly lastUpdatedAt?: string
  readonly scheduling?: ReadonlyArray<{ readonly id: string; readonly value: ElementValue }>
  readonly payments?: ReadonlyArray<{ readonly id: string; readonly value: ElementValue }>
  readonly login?: { readonly email: string }
}

/** The maximum number of items in one create request (service interface, "Limits"). */
export const maxItems = 10

/** The kinds of the members of an item that are not in a list. */
export const ownKinds = { submissionTime: "dateTime", lastUpdatedAt: "dateTime", login: "email" } as const

export type OwnMember = keyof typeof ownKinds

export const ownMembers = namesOf(ownKinds)

/** The times among these members. The service sets the times of every submission. */
export const ownTimes = ["submissionTime", "lastUpdatedAt"] as const

export type OwnTime = (typeof ownTimes)[number]

/** Returns a value that is not in a list. */
export const ownValue = (
  of: { readonly [T in OwnTime]?: string | undefined } & {
    readonly login?: { readonly email: string | undefined } | undefined
  },
  id: OwnMember,
): string | undefined => id === "login" ? of.login?.email : of[id]

/** Returns an item without these URL parameters. */
export const withoutParameters = (item: Item, ids: ReadonlySet<string>): Item => {
  const { urlParameters = [], ...rest } = item
  const left = urlParameters.filter(({ id }) => !ids.has(id))
  return left.length === 0 ? rest : { ...rest, urlParameters: left }
}

/** Calls a function with the id and value of each member of an item that a mapping fills. */
export const eachAnswered = (item: Item, found: (id: string, value: Json | object) => void): void => {
  for (const { id, value } of item.questions) found(id, value)
  if (item.urlParameters !== undefined) { for (const { id, value } of item.urlParameters) found(id, value) }
  if (item.scheduling !== undefined) { for (const { id, value } of item.scheduling) found(id, value) }
  if (item.payments !== undefined) { for (const { id, value } of item.payments) found(id, value) }
  for (const id of ownMembers) {
    const value = ownValue(item, id)
    if (value !== undefined) found(id, value)
  }
}
