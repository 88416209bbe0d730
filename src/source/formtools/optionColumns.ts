import { blocksOf } from "./blocks.ts"
import type { PartOf } from "./blocks.ts"
import type { Sample } from "./FormTool.ts"
import { cellsOf, tidy } from "./sample.ts"

/**
 * Blocks of the tools that come of XForms: `question/option` with 1 or 0, beside a column `question` with all choices or without one. Groups are
 * set before a question with a slash too, so a part counts only when its question is a column, or its cells are ticks.
 *
 * @param headerRows records of the sample that hold no answers
 */
export const slashedBlocks = (sample: Sample, headerRows: number, own: ReadonlySet<number>) => {
  const titles = (sample.records[0] ?? []).map(tidy)
  const known = new Set(titles)
  const ticked = (position: number) =>
    cellsOf(sample, position, headerRows).every((cell) => /^(?:0|1|0\.0|1\.0|true|false)$/i.test(cell))
  const parts = titles.flatMap((title, position): ReadonlyArray<PartOf> => {
    if (own.has(position) || !title.includes("/")) return []
    // The longest beginning that is a question: labels of options may hold slashes.
    for (let at = title.lastIndexOf("/"); at > 0; at = title.lastIndexOf("/", at - 1)) {
      const question = title.slice(0, at)
      if (known.has(question)) return [partOf(position, question, title.slice(at + 1))]
    }
    if (!ticked(position)) return []
    const at = title.lastIndexOf("/")
    return [partOf(position, title.slice(0, at), title.slice(at + 1))]
  })
  const texts = parts.flatMap(({ question, role }): ReadonlyArray<PartOf> => {
    const position = role === "other" ? titles.indexOf(`${question}_other`) : -1
    return position < 0 ? [] : [{ position, question, option: `${question}_other`, role: "text" }]
  })
  return blocksOf([...parts, ...texts], { apart: true })
}

const partOf = (position: number, question: string, option: string): PartOf => ({
  position,
  question,
  option,
  role: option.toLowerCase() === "other" ? "other" : "option",
})
