import type { Fate, Verdict } from "../domain/fate.ts"
import { namesOf } from "../domain/words.ts"
import type { RowState } from "./rows.ts"

/** The ledger's file contains these numbers: add new entries at the end, and never move one. */
export const stateCode: { readonly [S in RowState]: number } = {
  intended: 0,
  inDoubt: 1,
  imported: 2,
  refused: 3,
  notCreated: 4,
  undone: 5,
}
export const verdictCode: { readonly [V in Verdict]: number } = { verified: 0, unread: 1, differing: 2, missing: 3 }

/** The states of rows that may have been sent, for `state IN (…)`. */
export const openStates = `${stateCode.intended}, ${stateCode.inDoubt}`

/** The states of rows that are in the form, or may be. */
export const sentStates = `${openStates}, ${stateCode.imported}`

/** Also undone rows: neither they nor the same rows with reformatted keys may be sent as new ones. */
export const takenStates = `${sentStates}, ${stateCode.undone}`

/**
 * Whether a row has such a state, or could not be sent again after it was undone, although an earlier submission remains, as part of a SELECT.
 *
 * @param r the alias of the row
 */
export const isTaken = (r: string, states = takenStates): string =>
  `(${r}.state IN (${states}) OR EXISTS (SELECT 1 FROM replaced WHERE replaced.row = ${r}.id))`

export const fateCode: { readonly [F in Fate]: number } = {
  filtered: 0,
  duplicate: 1,
  alreadyImported: 2,
  changed: 3,
  invalid: 4,
  refused: 5,
  inDoubt: 6,
  pending: 7,
  imported: 8,
  undone: 9,
}

/** What a person may acknowledge in addition to fates: an imported row's verdict. */
export const differingCode = 100
export const missingCode = 101

/** A verified submission that was edited or deleted later. It is acknowledged in the state in which it was last seen. */
export const editedCode = 102
export const goneCode = 103

const nameIn = <N extends string>(what: string, codes: { readonly [K in N]: number }) => (code: number): N => {
  const name = namesOf(codes).find((one) => codes[one] === code)
  if (name !== undefined) return name
  throw new Error(`The ledger contains the ${what} ${code}, which this version of formferry does not know.`)
}

export const stateOf = nameIn("state", stateCode)
export const verdictOf = nameIn("verdict", verdictCode)
