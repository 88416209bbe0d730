import type { Cell } from "../domain/cell.ts"
import { opposites, textOf } from "./cells.ts"
import { type CellNote, Fault, type KindContext, type OptionFault, type OtherCells, type Parse } from "./Kind.ts"
import { loose, type OptionTable } from "./optionTable.ts"

/** What ticked and unticked cells contain by default. */
export const usualChecks = {
  yes: ["1", "x", "yes", "y", "true", "checked", "selected"],
  no: ["0", "no", "n", "false", "unchecked", "not selected"],
}

/** What the cells in an option's column mean. */
interface Ticks {
  /**
   * Whether a text is a tick. Undefined if it is neither a tick nor the opposite.
   *
   * @param own the option's own names, in lower case and without white space
   */
  readonly isTicked: (text: string, own: ReadonlySet<string>) => boolean | undefined
  /** Whether a text, such as 0 or No, is an option's own name but also means no tick, and the pipeline doesn't say which it means. */
  readonly isAmbiguous: (text: string, own: ReadonlySet<string>) => boolean
  readonly words: string
}

/** Prepares the words for ticked and unticked cells. */
export const compileTicks = (
  options: {
    readonly checked?: ReadonlyArray<string> | undefined
    readonly unchecked?: ReadonlyArray<string> | undefined
    readonly values?: Readonly<Record<string, string | null>> | undefined
  },
): Ticks | ReadonlyArray<OptionFault> => {
  const { clash, no, yes } = opposites({ yes: options.checked, no: options.unchecked }, usualChecks, loose)
  if (clash !== undefined) {
    return [{ option: "unchecked", message: `"${clash}" can't mean both ticked and not ticked.` }]
  }
  // A code in a column's name, such as 0, is not the option's name.
  const codes = new Set(Object.keys(options.values ?? {}).map((code) => loose(code)).filter((code) => no.has(code)))
  const isSaid = options.checked !== undefined || options.unchecked !== undefined
  return {
    isTicked: (text, own) => {
      const word = loose(text)
      if (yes.has(word)) return true
      const isOwn = own.has(word) && !codes.has(word)
      return isOwn && !(isSaid && no.has(word)) ? true : no.has(word) ? false : undefined
    },
    isAmbiguous: (text, own) => {
      const word = loose(text)
      return !isSaid && own.has(word) && no.has(word) && !codes.has(word)
    },
    words: `${[...yes].join(", ")} or its own name for ticked, or ${[...no].join(", ")} or nothing`,
  }
}

const ownNames = (table: OptionTable, value: string, name: string): ReadonlySet<string> =>
  new Set([name, ...table.namesOf(value)].map((each) => loose(each)))

/** Adds the "Other" answer of a row to its choices. */
type AddOther = (values: Array<string>, cells: ReadonlyArray<Cell>) => Fault | undefined

const add = (values: Array<string>, value: string | undefined): void => {
  if (value !== undefined && !values.includes(value)) values.push(value)
}

/** Returns the function for an "Other" option. Unless the pipeline says what to send for "Other", `otherwise` applies. */
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
    "no tick, or `other: { use: … }` in the pipeline with the option to send",
    blamed,
  )
  return (values, row) => {
    const mark = cells.tick === undefined ? "" : textOf(row[cells.tick])
    const beside = cells.text === undefined ? "" : textOf(row[cells.text])
    const ticked = mark === "" ? false : ticks.isTicked(mark, own)
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
        noteTexts("redirected")
        context.redirect?.(text, other.textTo)
      }
      return undefined
    }
    // A tick may be the name of an option.
    const value = table.read(text === "" ? mark : text, blamed)
    if (value instanceof Fault) return text === "" ? unsaid : value.at(blamed, text)
    if (value === undefined) noteTexts("unused")
    add(values, value)
    return undefined
  }
}

const unclear =
  "a tick or no tick, but it is also the option's own name. Write it under `checked` or `unchecked`, which say what it means"

/** Makes a `Parse` for columns that each belong to one option. */
export const parseOptionColumns = (
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
    const own = ownNames(table, value ?? name, name)
    return { value, own, fault: new Fault("not-an-option", ticks.words, index) }
  })
  if (faults.length > 0) return faults
  return (cells) => {
    const values: Array<string> = []
    for (let index = 0; index < columns.length; index++) {
      const text = textOf(cells[index])
      if (text === "") continue
      const { value, own, fault } = columns[index]!
      if (ticks.isAmbiguous(text, own)) return new Fault("not-an-option", unclear, index)
      const ticked = ticks.isTicked(text, own)
      if (ticked === undefined) return fault
      if (ticked && value !== undefined) add(values, value)
      else context.note?.("unused", index)
    }
    return addOther?.(values, cells) ?? inOrder(values)
  }
}
