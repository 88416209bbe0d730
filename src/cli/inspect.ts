import * as Path from "@effect/platform/Path"
import * as Effect from "effect/Effect"
import type { InspectedColumn } from "../domain/inspectedColumn.ts"
import { brief } from "../domain/problem.ts"
import { columnName, count, counted, numbers, percent, present } from "../domain/words.ts"
import type { Inspection } from "../jobs/inspect.ts"
import { argumentList, command, json, text } from "./command.ts"
import { wrong } from "./Failure.ts"
import { openProject } from "./openProject.ts"
import { connectionOptions, labelsOption, sourceGiven, sourceOptions } from "./sourceOptions.ts"
import { withProgress } from "./terminal/progress.ts"
import { cutToWidth, indented, paints, type Screen, table, type TableCell, wrapToWidth } from "./terminal/screen.ts"

export const inspect = command({
  name: "inspect",
  about:
    "Shows what a file, or a form tool's API, contains: its format, the form tool that wrote it, its columns and their values, traps, and row key candidates.",
  examples: [
    { words: "inspect contacts.csv", about: "Shows what formferry detects, and why." },
    { words: "inspect exports/*.xlsx", about: "Shows several files, one after the other." },
    {
      words: "inspect --connection kobo --form aBc123",
      about: "Pulls the records of a form from a connection of the project.",
    },
    { words: "inspect old.csv --encoding windows-1252 --header-row 3", about: "Reads the file with these settings." },
  ],
  arguments: { files: argumentList("FILE", false, "A file with rows. Needed unless there is `--connection`.") },
  options: {
    ...connectionOptions,
    form: text("ID", "With `--connection`: the id of the form in the tool."),
    labels: labelsOption,
    ...sourceOptions,
    json,
  },
  *run(input, { output }) {
    const path = yield* Path.Path
    const { inspectFile } = yield* Effect.promise(() => import("../jobs/inspect.ts"))
    const show = (inspection: Inspection, isFirst: boolean) =>
      output.print(
        input.json ? JSON.stringify(inspection) : (isFirst ? "" : "\n") + showInspection(inspection, output.out),
      )
    const { connection, files, form, labels, set } = input
    if (connection !== undefined) {
      if (files.length > 0) {
        return yield* wrong("`--connection` pulls records, so it can't be used with a file.")
      }
      const { connections } = yield* openProject([])
      const source = yield* sourceGiven({ connection, connections, form, formFlag: "--form", set }, input)
      return yield* show(yield* withProgress(connection, () => inspectFile(source, labels)), true)
    }
    if (form !== undefined || set.length > 0) {
      return yield* wrong("`--form` and `--set` need `--connection`.")
    }
    if (files.length === 0) {
      return yield* wrong("FILE is missing: name a file, or a connection with `--connection`.")
    }
    for (const [index, file] of files.entries()) {
      const inspection = yield* inspectFile(yield* sourceGiven(path.resolve(file), input), labels)
      yield* show({ ...inspection, file }, index === 0)
    }
  },
})

const distinctOf = ({ distinct, unique }: InspectedColumn): string =>
  unique === true
    ? `${count(distinct.count)}, all`
    : distinct.exact
    ? count(distinct.count)
    : `about ${count(distinct.count)}`

const samplesOf = ({ distinct, samples, unique }: InspectedColumn): string => {
  const shown = unique === true ? samples.slice(0, 2) : samples
  const texts = shown.map(({ label, text, times }) =>
    cutToWidth(label === undefined ? text : `${text} = ${label}`, 36) + (times > 1 ? ` (${count(times)})` : "")
  )
  return texts.join(" · ") + (distinct.count > shown.length ? " · …" : "")
}

const what = (inspection: Inspection, screen: Screen): string => {
  const { faults, faulty, others, rows, tool, unfinished } = inspection
  const paint = paints(screen)
  const facts: ReadonlyArray<readonly [string, string]> = present([
    ...inspection.taken.map(({ value, what }) => [what, value] as const),
    others.length > 0 && [
      "other tools",
      others.map(({ reasons, score, title }) => `${title}: ${Math.round(score * 100)} of 100 (${reasons.join("; ")})`)
        .join(". "),
    ] as const,
    [
      "rows",
      count(rows)
      + (faulty === 0 ? "" : `, ${count(faulty)} of them ${faulty === 1 ? "is" : "are"} faulty and would be rejected`)
      + (unfinished === undefined || unfinished === 0 ? "" : `, ${counted(unfinished, "response")} never finished`),
    ],
    ...faults.map((fault) => ["faulty row", fault] as const),
    faulty > faults.length && ["faulty row", `and ${count(faulty - faults.length)} more`] as const,
    ...(tool?.notes ?? []).map((note) => ["note", note] as const),
    ...inspection.warnings.map((warning) => ["note", warning] as const),
  ])
  return table(
    ["", ""],
    facts.map(([name, value]) => [{ text: name, paint: paint.soft }, value]),
    screen,
  )
}

const titleOf = ({ name, title }: InspectedColumn): string => name ?? (title.trim() === "" ? "(no title)" : title)

const nameOf = (column: InspectedColumn, blocks: ReadonlyMap<string, string>, screen: Screen): TableCell => {
  const paint = paints(screen)
  const letter = column.block === undefined ? undefined : blocks.get(column.block)
  const described = column.described ? `: ${cutToWidth(column.label ?? "", 60)}` : ""
  if (letter !== undefined) return `${letter}▪ ${cutToWidth(column.option ?? "", 60)}${described}`
  const shown = cutToWidth(titleOf(column), 70) + described
  return column.role === undefined ? shown : { text: `${shown} (${column.role})`, paint: paint.soft }
}

/** Returns the first rows with how each is interpreted, and which option to pass if that is wrong. */
const firstRows = ({ head }: Inspection, screen: Screen): string | undefined => {
  if (head.length === 0) return undefined
  const paint = paints(screen)
  return [
    paint.strong("First rows"),
    table(
      [numbers(""), "", ""],
      head.map(({ cells, is, row }) => [
        String(row),
        is === "header" ? is : { text: is, paint: paint.soft },
        cells.filter((cell) => cell.trim() !== "").map((cell) => cutToWidth(cell, 24)).join(" · "),
      ]),
      screen,
    ),
    indented("If another row is the header, pass its number: --header-row ROW.", screen.width, 2),
  ].join("\n")
}

const traps = (columns: ReadonlyArray<InspectedColumn>, screen: Screen): string | undefined => {
  const paint = paints(screen)
  const lines = columns.flatMap((column) =>
    column.traps.map(({ examples, message }) => {
      const shown = examples.length === 0
        ? ""
        : ` For example ${examples.map((text) => JSON.stringify(text)).join(", ")}.`
      const name = cutToWidth(titleOf(column), 50)
      return indented(`${column.position} ${name}: ${message}${shown}`, screen.width, 2)
    })
  )
  return lines.length === 0 ? undefined : [paint.strong("Traps"), ...lines].join("\n")
}

/** Shows a file's format and how it was detected, then the file's columns, traps and possible row keys. */
export const showInspection = (inspection: Inspection, screen: Screen): string => {
  const { blocks, columns, rowKey, tool } = inspection
  const paint = paints(screen)
  const letterOf = new Map(blocks.map(({ title }, at) => [title, columnName(at)]))
  const kindOf = ({ kind, share }: InspectedColumn): TableCell =>
    kind === "empty" ? { text: "empty", paint: paint.soft } : share < 1 ? `${kind} (${percent(share)})` : kind
  return present([
    paint.strong(cutToWidth(inspection.file, screen.width)) + "\n"
    + (tool === undefined ? cutToWidth(inspection.format, screen.width) : `An export of ${tool.title}`),
    what(inspection, screen),
    firstRows(inspection, screen),
    table(
      [numbers(""), "column", "kind", numbers("filled"), numbers("distinct"), "cells"],
      columns.map((column) => [
        String(column.position),
        nameOf(column, letterOf, screen),
        kindOf(column),
        percent(column.fill),
        column.filled === 0 ? "" : distinctOf(column),
        samplesOf(column),
      ]),
      screen,
    ),
    blocks.length === 0 ? undefined : [
      ...wrapToWidth("Questions with several columns, for `from: { block: … }`", screen.width).map(paint.strong),
      ...blocks.map(({ title }) => indented(`${letterOf.get(title) ?? ""}▪ ${brief(title)}`, screen.width, 2)),
    ].join("\n"),
    traps(columns, screen),
    [
      paint.strong("Row key"),
      ...(inspection.rows === 0
        ? ["  The file has no rows."]
        : rowKey.length === 0
        ? ["  No column is filled in every row and different in each: `rowKey` needs several columns, or `content`."]
        : rowKey.map(({ because, columns: names }) =>
          indented(`${names.map(brief).join(", ")}: ${because}`, screen.width, 2)
        )),
    ].join("\n"),
  ]).join("\n\n")
}
