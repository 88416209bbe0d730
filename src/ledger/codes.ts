import type { Fate, Verdict } from "../domain/fate.ts"
import type { RowState } from "./rows.ts"

/** The ledger's file contains these numbers: add new entries at the end, and never move one. */
const states = ["intended", "inDoubt", "imported", "refused", "notCreated", "undone"] as const satisfies ReadonlyArray<
  RowState
>
const verdicts = ["verified", "unread", "differing", "missing"] as const satisfies ReadonlyArray<Verdict>
const fateNumbers: { readonly [F in Fate]: number } = {
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

export const stateCode: { readonly [S in RowState]: number } = {
  intended: 0,
  inDoubt: 1,
  imported: 2,
  refused: 3,
  notCreated: 4,
  undone: 5,
}

export const verdictCode: { readonly [V in Verdict]: number } = { verified: 0, unread: 1, differing: 2, missing: 3 }

export const fateCode = (fate: Fate): number => fateNumbers[fate]

/** What a person may acknowledge in addition to fates: an imported row's verdict. */
export const differingCode = 100
export const missingCode = 101

/** A verified submission that was edited or deleted later. It is acknowledged in the state in which it was last seen. */
export const editedCode = 102
export const goneCode = 103

export const stateOf = (code: number): RowState => states[code] ?? unknownCode("state", code)

export const verdictOf = (code: number): Verdict => verdicts[code] ?? unknownCode("verdict", code)

const unknownCode = (what: string, code: number): never => {
  throw new Error(`The ledger contains the ${what} ${code}, which this version of formferry does not know.`)
}
