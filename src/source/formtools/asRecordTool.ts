import { Effect, Stream } from "effect"
import { eachChunk } from "../eachChunk.ts"
import { SourceError } from "../Source.ts"
import type { Source } from "../Source.ts"
import { jotformSubmissions } from "./jotformSubmissions.ts"
import { withReading } from "./reading.ts"
import { enough } from "./recognise.ts"
import type { RecordTool } from "./RecordTool.ts"
import type { ToolOptions } from "./ToolOptions.ts"
import { typeformResponses } from "./typeformResponses.ts"

/** Form tools whose interfaces for programs are known. */
const recordTools: ReadonlyArray<RecordTool> = [typeformResponses, jotformSubmissions]

/**
 * Takes records for the answers of a form tool's interface for programs: of the tool that the pipeline names, or of the one that they are recognised as, if any.
 * All of them are read once, for any record may hold a question that no other has.
 */
export const asRecordTool = (opened: Source, { asked, file }: ToolOptions): Effect.Effect<Source, SourceError> =>
  Effect.gen(function*() {
    const members = opened.columns.map(({ title }) => title)
    const found = recordTools.flatMap((tool) => {
      const evidence = tool.recognise(members)
      return evidence === undefined ? [] : [{ tool, ...evidence }]
    }).toSorted((a, b) => b.score - a.score)
    const shown = found.map(({ reasons, score, tool }) => ({ name: tool.name, title: tool.title, score, reasons }))
    const chosen = asked === undefined
      ? found.find(({ score }) => score >= enough)
      : found.find(({ tool }) => tool.name === asked)
    if (chosen === undefined) return { ...opened, candidates: shown }
    const learner = chosen.tool.learn(opened.columns)
    yield* eachChunk(opened.read(), (chunk) =>
      Effect.sync(() => {
        for (const [at, row] of chunk.rows.entries()) if (!chunk.faults.has(at)) learner.add(row)
      })).pipe(Effect.catchTag("SourceChanged", ({ message }) => new SourceError({ file, message })))
    const { cells, ...layout } = learner.layout()
    return {
      ...withReading(opened, { layout, titles: layout.titles, added: [], asked: asked !== undefined, chosen, shown }),
      read: (expected) =>
        Stream.map(opened.read(expected), (chunk) => ({
          ...chunk,
          rows: chunk.rows.map((row, at) => (chunk.faults.has(at) ? row : cells(row))),
        })),
    }
  })
