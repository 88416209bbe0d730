import type { Item } from "./item.ts"

/** Ids of what an item answers: questions and the other members that a mapping can fill. */
export const answered = (item: Item): ReadonlyArray<string> => [
  ...item.questions.map((answer) => answer.id),
  ...(item.urlParameters ?? []).map((parameter) => parameter.id),
  ...(item.scheduling ?? []).map((field) => field.id),
  ...(item.payments ?? []).map((field) => field.id),
  ...(item.submissionTime === undefined ? [] : ["submissionTime"]),
  ...(item.lastUpdatedAt === undefined ? [] : ["lastUpdatedAt"]),
  ...(item.login === undefined ? [] : ["login"]),
]
