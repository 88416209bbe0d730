import { Parser } from "htmlparser2"
import { type Cell, cellText } from "../domain/cell.ts"
import { oneLine } from "../domain/words.ts"

/** What a form tool's own definition of a form says about one column of its exports. */
export interface ColumnLabels {
  /** The question as respondents read it. Empty if the definition has no text for it. */
  readonly title: string
  /** If the question has several columns: this column's name in the header, and the text that respondents read. */
  readonly part?: { readonly code: string; readonly label: string }
  /** Labels of options, by the codes in the cells. */
  readonly options: ReadonlyMap<string, string>
  /** The separator between several codes in a cell. */
  readonly split?: string
}

/** The columns that a definition describes, by the titles that the tool gives them in its exports. */
export type Labels = ReadonlyMap<string, ColumnLabels>

/** A definition file, parsed but not interpreted. */
export type Definition =
  | { readonly _tag: "Table"; readonly records: ReadonlyArray<ReadonlyArray<string>> }
  /** A workbook: its sheets by name in lower case. */
  | { readonly _tag: "Sheets"; readonly sheets: ReadonlyMap<string, ReadonlyArray<ReadonlyArray<string>>> }
  | { readonly _tag: "Json"; readonly value: unknown }
  /** Tables of rows: the elements `row` below an element `rows`, by the name of the element above that. */
  | { readonly _tag: "Xml"; readonly tables: ReadonlyMap<string, ReadonlyArray<ReadonlyMap<string, string>>> }

/** A kind of definition file. */
export interface DefinitionFormat {
  /** What people call such a file. */
  readonly title: string
  /** Returns the labels. If the file has a mistake, returns a sentence that says what is wrong and where, without the file's name. Returns undefined if it is not such a file. */
  readonly read: (definition: Definition) => Labels | string | undefined
}

/** Tags within a word or sentence. All other tags separate words. */
const inline = new Set(["a", "b", "em", "font", "i", "mark", "small", "span", "strong", "sub", "sup", "u"])

/** Returns the text of a label that may contain HTML, on one line. */
export const plainText = (html: string): string => {
  if (!/[<&]/.test(html)) return oneLine(html)
  let text = ""
  let hidden = 0
  const isHidden = (name: string) => name === "script" || name === "style"
  const gap = (name: string) => {
    if (!inline.has(name)) text += " "
  }
  new Parser({
    onopentagname: (name) => {
      gap(name)
      if (isHidden(name)) hidden++
    },
    onclosetag: (name) => {
      gap(name)
      if (isHidden(name)) hidden--
    },
    ontext: (piece) => {
      if (hidden === 0) text += piece
    },
  }).end(html)
  return oneLine(text)
}

/** Returns the labels of codes. Omits a code with several labels, because a cell doesn't show which one is meant. */
export const labelsOf = (
  choices: ReadonlyArray<readonly [code: string, label: string]>,
): ReadonlyMap<string, string> => {
  const labels = new Map(choices)
  for (const [code, label] of choices) if (labels.has(code) && labels.get(code) !== label) labels.delete(code)
  return labels
}

/** Returns the labels of columns. If several columns have the same title, uses the first one. */
export const collectLabels = (columns: ReadonlyArray<readonly [title: string, labels: ColumnLabels]>): Labels =>
  new Map(columns.toReversed())

/** Returns the codes in a cell, or undefined if it contains something else. */
const codesIn = ({ options, split }: ColumnLabels, text: string): ReadonlyArray<string> | undefined => {
  if (options.has(text)) return [text]
  const pieces = split === undefined
    ? []
    : text.split(split).map((piece) => piece.trim()).filter((piece) => piece !== "")
  return pieces.length > 0 && pieces.every((piece) => options.has(piece)) ? pieces : undefined
}

/** Returns a cell with labels in place of codes, each label on a line of its own. */
export const withLabels = (labels: ColumnLabels, cell: Cell): Cell =>
  codesIn(labels, cellText(cell).trim())?.map((code) => labels.options.get(code) ?? code).join("\n") ?? cell

/** Whether cells contain codes whose labels are different. */
export const containsCodes = (labels: ColumnLabels, texts: Iterable<string>): boolean =>
  [...texts].some((text) => codesIn(labels, text)?.some((code) => labels.options.get(code) !== code) === true)
