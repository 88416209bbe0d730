import type { Form } from "../domain/form.ts"
import type { PracticeAnswer } from "./refusals.ts"

/** What a browser sees at the practice service's root: its forms and how many submissions each has. */
export const overview = (
  forms: ReadonlyArray<Form>,
  prefix: string,
  count: (form: string) => number,
): PracticeAnswer => ({
  status: 200,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body: [
    `formferry practice service. Its interface is under ${prefix}, its results page at /results.`,
    "",
    ...forms.map(({ id, name }) => `${id}  ${name}: ${count(id)} submissions`),
    "",
  ].join("\n"),
})
