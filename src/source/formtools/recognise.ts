import { cellText } from "../../domain/cell.ts"
import type { Head } from "../Source.ts"
import type { FormTool, Sample } from "./FormTool.ts"
import { formTools } from "./index.ts"
import { sampleOf } from "./sample.ts"

/** A tool that a file may come from. */
export interface Candidate {
  readonly tool: FormTool
  readonly score: number
  readonly reasons: ReadonlyArray<string>
  /** Index, among the head's records, of the record with which its header begins. */
  readonly at: number
}

/** From this score on a file is taken for a tool's without being told. */
export const enough = 0.4

/** Records that may stand above a header. */
const titleRows = 12

const isEmpty = (record: ReadonlyArray<string>) => record.every((cell) => cell.trim() === "")

/** A head's records as text, from one on. */
export const sampleAt = (head: Head, file: string, at: number): Sample =>
  sampleOf(head.records.slice(at).map((record) => record.map((cell) => cellText(cell))), {
    file: file.replace(/^.*[/\\]/, ""),
    sheet: head.sheet,
    delimiter: head.delimiter,
    mended: false,
  })

/**
 * The tools that a file may come from, the likeliest first; of two that are equally likely the one that stands first in the list of tools.
 *
 * @param headerOnly the pipeline says where the header stands: it is looked for nowhere else
 */
export const candidates = (
  head: Head,
  file: string,
  { headerOnly = false, tools = formTools }: {
    readonly headerOnly?: boolean
    readonly tools?: ReadonlyArray<FormTool>
  } = {},
): ReadonlyArray<Candidate> => {
  const best = new Map<FormTool, Candidate>()
  const from = headerOnly ? head.header : 0
  const to = headerOnly ? head.header : Math.min(head.records.length - 1, titleRows)
  for (let at = from; at <= to; at++) {
    const sample = sampleAt(head, file, at)
    if (isEmpty(sample.titles)) continue
    for (const tool of tools) {
      const found = tool.recognise(sample)
      const before = best.get(tool)
      if (found !== undefined && (before === undefined || found.score > before.score)) {
        best.set(tool, { tool, ...found, at })
      }
    }
  }
  return tools.flatMap((tool) => best.get(tool) ?? []).toSorted((a, b) => b.score - a.score)
}
