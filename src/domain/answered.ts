import type { Item } from "./item.ts"

/** Tells the ids of what an item answers: questions and the other members that a mapping can fill. No list of them: it is asked twice for each row that is sent. */
export const eachAnswered = (item: Item, found: (id: string) => void): void => {
  for (const { id } of item.questions) found(id)
  if (item.urlParameters !== undefined) { for (const { id } of item.urlParameters) found(id) }
  if (item.scheduling !== undefined) { for (const { id } of item.scheduling) found(id) }
  if (item.payments !== undefined) { for (const { id } of item.payments) found(id) }
  if (item.submissionTime !== undefined) found("submissionTime")
  if (item.lastUpdatedAt !== undefined) found("lastUpdatedAt")
  if (item.login !== undefined) found("login")
}
