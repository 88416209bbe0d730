/**
 * Watches whether the service refuses every row of the first batches for one and the same reason: then the mapping or the form is to
 * blame, and hundreds of rows must not be tried one by one (product.md, "Outcomes of a create request").
 */
export interface Refusals {
  readonly refused: (message: string) => void
  readonly created: () => void
  /** The reason that all rows so far were refused for, once there are enough of them. */
  readonly common: () => string | undefined
}

/** Rows that are refused alone, all alike and none created, before it counts as a problem of the mapping or the form. */
const enough = 10

export const makeRefusals = (): Refusals => {
  let first: string | undefined
  let count = 0
  let mixed = false
  return {
    refused: (message) => {
      // Indexes and values differ from row to row; the words do not.
      const words = message.replace(/\d+/gu, "#")
      if (first !== undefined && first !== words) mixed = true
      first = first ?? words
      count++
    },
    created: () => {
      mixed = true
    },
    common: () => (!mixed && count >= enough ? first : undefined),
  }
}
