import type { PracticeAnswer } from "./refusals.ts"

/** What a browser sees at the practice service's root: no form and no count, since other users of the machine see it, too. */
export const overview = (prefix: string): PracticeAnswer => ({
  status: 200,
  headers: { "content-type": "text/plain; charset=utf-8" },
  body:
    `formferry practice service. Its interface is under ${prefix}; its results page opens by the link that formferry practice printed.\n`,
})
