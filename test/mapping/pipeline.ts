import { Either } from "effect"
import type { Cell } from "../../src/domain/cell.ts"
import type { Diagnostic } from "../../src/domain/diagnostic.ts"
import type { Form, Question } from "../../src/domain/form.ts"
import type { Item } from "../../src/domain/item.ts"
import type { Problem } from "../../src/domain/problem.ts"
import type { Column } from "../../src/domain/row.ts"
import { compile } from "../../src/mapping/compile.ts"
import type { Mapping } from "../../src/mapping/Mapping.ts"
import { decodePipeline, type Pipeline } from "../../src/project/Pipeline.ts"
import { parseYaml } from "../../src/project/yamlText.ts"
import { formWith, question } from "../fakeForms.ts"

/** The value sets of a project. */
type Sets = Readonly<Record<string, Readonly<Record<string, string | null>>>>

/** Decodes a pipeline from its file's text, as the program does. */
export const decoded = (file: string, text: string, sets: Sets = {}): Pipeline => {
  const read = decodePipeline(parseYaml(file, text), { sets: new Map(Object.entries(sets)) })
  if (read._tag !== "Read") throw new Error(read.findings.map(({ message }) => message).join("\n"))
  return read.value
}

/**
 * Decodes a pipeline with a mapping. `mapping` contains the lines under `mapping:`, indented
 * by two.
 */
export const pipelineFrom = (
  mapping: string,
  { source = "  rowKey: [Id]", more = "", sets = {}, blankRows = "allow" }: {
    readonly source?: string
    readonly more?: string
    readonly blankRows?: "allow" | "reject"
    readonly sets?: Sets
  } = {},
): Pipeline => {
  return decoded(
    "pipelines/test.yaml",
    `pipeline: test\nsource:\n  file: test.csv\n${source}\nmapping:\n${mapping}\nsink: { service: practice, form: f1, blankRows: ${blankRows} }\n${more}`,
    sets,
  )
}

/** Returns a form with these questions, without types. Their ids are q1, q2, … */
export const formOf = (questions: ReadonlyArray<string | Partial<Question>>, more: Partial<Form> = {}): Form =>
  formWith({
    id: "f1",
    name: "Test form",
    questions: questions.map((given, index) => ({
      ...question(`q${index + 1}`, typeof given === "string" ? given : "", undefined),
      ...(typeof given === "string" ? {} : given),
    })),
    ...more,
  })

/** Returns columns with these titles. A repeated title has no name. */
export const columnsOf = (titles: ReadonlyArray<string>): ReadonlyArray<Column> =>
  titles.map((title, position) => ({
    position,
    title,
    name: title !== "" && titles.filter((each) => each === title).length === 1 ? title : undefined,
  }))

/** Blocks of columns by their positions: `title: [[0, "Option", "option"], …]`. */
export type BlocksOf = Readonly<
  Record<string, ReadonlyArray<readonly [number, string, ("option" | "other" | "text")?]>>
>

interface More {
  readonly blocks?: BlocksOf
  readonly fixed?: "text" | "typed"
}

const compileWith = (pipeline: Pipeline, form: Form, titles: ReadonlyArray<string>, { blocks = {}, fixed }: More) =>
  compile({
    pipeline,
    form,
    columns: columnsOf(titles),
    blocks: Object.entries(blocks).map(([title, columns]) => ({
      title,
      columns: columns.map(([position, option, role = "option"]) => ({ position, option, role })),
    })),
    fixed,
  })

export const compiledMapping = (
  pipeline: Pipeline,
  form: Form,
  titles: ReadonlyArray<string>,
  more: More = {},
): { readonly mapping: Mapping; readonly warnings: ReadonlyArray<Diagnostic> } => {
  const result = compileWith(pipeline, form, titles, more)
  if (Either.isLeft(result)) throw new Error(result.left.map(({ message }) => message).join("\n"))
  return result.right
}

export const errorsOf = (
  pipeline: Pipeline,
  form: Form,
  titles: ReadonlyArray<string>,
  more: More = {},
): ReadonlyArray<Diagnostic> => {
  const result = compileWith(pipeline, form, titles, more)
  return Either.isLeft(result) ? result.left : []
}

export const itemOf = (mapping: Mapping, cells: ReadonlyArray<Cell>): Item => {
  const mapped = mapping.map(cells)
  if ("problems" in mapped) throw new Error(mapped.problems.map(({ message }) => message).join("\n"))
  return mapped.item
}

export const problemsOf = (mapping: Mapping, cells: ReadonlyArray<Cell>): ReadonlyArray<Problem> => {
  const mapped = mapping.map(cells)
  return "problems" in mapped ? mapped.problems : []
}
