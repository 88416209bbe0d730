import { type Cell, cellOf } from "../../domain/cell.ts"
import { isObject, type Json, type JsonObject } from "../../domain/json.ts"

/** How deep objects may be nested for their members to become columns. Anything deeper remains one cell. */
const deepest = 8

/** The columns of JSON records. Each member that is not an object has a column, named by the member's path. */
export interface JsonColumns {
  /** Titles such as `answers.email`, in the order in which members were first seen. */
  readonly titles: ReadonlyArray<string>
  /** Notes a record's members. */
  readonly learn: (record: Json) => void
  /** Makes columns from the noted members. */
  readonly close: () => void
  /** Returns a record's cells by column, or undefined if the record is not an object. Passes the titles of members without a column to `unseen`. */
  readonly cells: (record: Json, unseen: (title: string) => void) => Array<Cell> | undefined
}

/** A member, identified by the path of its names. */
interface Node {
  readonly title: string
  /** Index of the column, or -1 if there is none. */
  column: number
  /** Whether a value other than an object or null was seen. */
  filled: boolean
  readonly members: Map<string, Node>
}

const makeNode = (title: string): Node => ({ title, column: -1, filled: false, members: new Map() })

/** Calls `use` for each member that becomes a cell. */
const visit = (
  object: JsonObject,
  node: Node,
  depth: number,
  make: boolean,
  use: (node: Node, value: Json) => void,
) => {
  for (const key of Object.keys(object)) {
    const value = object[key] as Json
    let member = node.members.get(key)
    if (member === undefined) {
      member = makeNode(node.title === "" ? key : `${node.title}.${key}`)
      if (make) node.members.set(key, member)
    }
    if (isObject(value) && depth < deepest) visit(value, member, depth + 1, make, use)
    else use(member, value)
  }
}

/** @param members titles that are the first columns even if no record has them */
export const makeJsonColumns = (members: ReadonlyArray<string> = []): JsonColumns => {
  const titles = [...members]
  const root = makeNode("")
  const seen = new Set<Node>()
  return {
    titles,
    learn: (record) => {
      if (!isObject(record)) return
      visit(record, root, 1, true, (node, value) => {
        seen.add(node)
        if (value !== null) node.filled = true
      })
    },
    close: () => {
      const taken = new Set<number>()
      for (const node of seen) {
        const known = members.findIndex((title, at) => title === node.title && !taken.has(at))
        // If the member is an object in other records, null means that the object is missing.
        const isObjectElsewhere = node.members.size > 0 || members.some((title) => title.startsWith(`${node.title}.`))
        if (!node.filled && known < 0 && isObjectElsewhere) continue
        node.column = known < 0 ? titles.push(node.title) - 1 : known
        taken.add(node.column)
      }
    },
    cells: (record, unseen) => {
      if (!isObject(record)) return undefined
      const cells: Array<Cell> = new Array<Cell>(titles.length).fill(null)
      visit(record, root, 1, false, (node, value) => {
        const cell = cellOf(value)
        if (node.column !== -1) cells[node.column] = cell
        else if (cell !== null) unseen(node.title)
      })
      return cells
    },
  }
}
