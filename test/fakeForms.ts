import type { Form, Question } from "../src/domain/form.ts"

/** Returns a form with these members. All others are empty. */
export const formWith = (members: Partial<Form>): Form => ({
  id: "f",
  name: "F",
  questions: [],
  calculations: [],
  urlParameters: [],
  scheduling: [],
  payments: [],
  quiz: undefined,
  ...members,
})

/** Returns a question without options. */
export const question = (id: string, name: string, type: string | undefined): Question => ({
  id,
  name,
  type,
  options: undefined,
})
