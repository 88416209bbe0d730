import type { Cell } from "../domain/cell.ts"
import { textOf } from "./cells.ts"
import type { CellNote, KindContext, OptionFault, OtherCells, Parse } from "./Kind.ts"
import { Fault } from "./Kind.ts"
import type { OptionTable } from "./optionTable.ts"
import { loose } from "./optionTable.ts"

const usual = {
  checked: ["1", "x", "yes", "y", "true", "checked", "selected"],
  unchecked: ["0", "no", "n", "false", "unchecked", "not selected"],
}

/** What a cell of an option's column says: ticked, not ticked, or neither. */
export interface Ticks {
  /** @param own the option's own names, without case and space */
  readonly tick: (text: string, own: ReadonlySet<string>) => boolean | undefined
  readonly words: string
}

/** Makes the tokens of ticked and unticked cells ready. Tokens given for one side take those of the other side's usual ones. */
export const compileTicks = (
  options: {
    readonly checked?: ReadonlyArray<string> | undefined
    readonly unchecked?: ReadonlyArray<string> | undefined
  },
): Ticks | ReadonlyArray<OptionFault> => {
  const checked = new Set((options.checked ?? usual.checked).map((token) => loose(token)))
  const unchecked = new Set((options.unchecked ?? usual.unchecked).map((token) => loose(token)))
  if (options.checked === undefined) { for (const token of unchecked) checked.delete(token) }
  if (options.unchecked === undefined) { for (const token of checked) unchecked.delete(token) }
  const clash = [...checked].find((token) => unchecked.has(token))
  if (clash !== undefined) {
    return [{ option: "unchecked", message: `"${clash}" can't mean both ticked and not ticked.` }]
  }
  return {
    tick: (text, own) => {
      const token = loose(text)
      return checked.has(token) || own.has(token) ? true : unchecked.has(token) ? false : undefined
    },
    words: `${[...checked].join(", ")} or its own name for ticked, or ${[...unchecked].join(", ")} or nothing`,
  }
}

const ownNames = (table: OptionTable, value: string, name: string): ReadonlySet<string> =>
  new Set([name, ...table.namesOf(value)].map((each) => loose(each)))

/** Adds what an "Other" column holds to a row's choices. */
export type AddOther = (values: Array<string>, cells: ReadonlyArray<Cell>) => Fault | undefined

const add = (values: Array<string>, value: string | undefined): void => {
  if (value !== undefined && !values.includes(value)) values.push(value)
}

/** Makes the reading of an "Other" ready. Where the pipeline does not say what becomes of it, `otherwise` decides. */
export const compileOther = (
  other: { readonly use?: string | undefined; readonly textTo?: string | undefined } | undefined,
  cells: OtherCells,
  ticks: Ticks,
  table: OptionTable,
  context: KindContext,
): AddOther | ReadonlyArray<OptionFault> => {
  const faults: Array<OptionFault> = []
  const use = other?.use === undefined ? undefined : table.resolve(other.use, "other", faults, "use")
  if (faults.length > 0) return faults
  const own = new Set([
    ...(use === undefined ? [] : ownNames(table, use, other?.use ?? use)),
    ...(cells.name === undefined ? [] : [loose(cells.name)]),
  ])
  const blamed = cells.tick ?? cells.text ?? 0
  const unsaid = new Fault(
    "not-an-option",
    "no tick, or `other: { use: … }` in the pipeline, which says what it is sent as",
    blamed,
  )
  return (values, row) => {
    const mark = cells.tick === undefined ? "" : textOf(row[cells.tick])
    const beside = cells.text === undefined ? "" : textOf(row[cells.text])
    const ticked = mark === "" ? false : ticks.tick(mark, own)
    const text = [ticked === undefined ? mark : "", beside].filter((each) => each !== "").join(", ")
    const noteTexts = (note: CellNote) => {
      if (ticked === undefined && cells.tick !== undefined) context.note?.(note, cells.tick)
      if (beside !== "" && cells.text !== undefined) context.note?.(note, cells.text)
    }
    if (ticked !== undefined && cells.tick !== undefined && (!ticked || (other !== undefined && use === undefined))) {
      context.note?.("unused", cells.tick)
    }
    if (text === "" && ticked !== true) return undefined
    if (other !== undefined) {
      add(values, use)
      if (text === "") return undefined
      if (other.textTo === undefined) noteTexts("part")
      else {
        noteTexts("handed")
        context.spill?.(text, other.textTo)
      }
      return undefined
    }
    // A tick may be the name of an option.
    const value = table.read(text === "" ? mark : text, blamed)
    if (value instanceof Fault) return text === "" ? unsaid : new Fault(value.code, value.expected, blamed, text)
    if (value === undefined) noteTexts("unused")
    add(values, value)
    return undefined
  }
}

/** A `Parse` of cells that are the columns of one option each. */
export const optionColumns = (
  names: ReadonlyArray<string>,
  ticks: Ticks,
  table: OptionTable,
  inOrder: (values: Array<string>) => ReadonlyArray<string> | undefined,
  addOther: AddOther | undefined,
  context: Pick<KindContext, "note">,
): Parse | ReadonlyArray<OptionFault> => {
  const faults: Array<OptionFault> = []
  const columns = names.map((name, index) => {
    const value = table.resolve(name, "from", faults, name)
    return {
      value,
      own: ownNames(table, value ?? name, name),
      fault: new Fault("not-an-option", ticks.words, index),
    }
  })
  if (faults.length > 0) return faults
  return (cells) => {
    const values: Array<string> = []
    for (let index = 0; index < columns.length; index++) {
      const text = textOf(cells[index])
      if (text === "") continue
      const { value, own, fault } = columns[index]!
      const ticked = ticks.tick(text, own)
      if (ticked === undefined) return fault
      if (ticked && value !== undefined) add(values, value)
      else context.note?.("unused", index)
    }
    return addOther?.(values, cells) ?? inOrder(values)
  }
}
