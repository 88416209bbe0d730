/** Whether the longer proofs run, as in CI: `LONG=1 npx vitest run FILES`. */
export const isLong = process.env["LONG"] !== undefined

/** Returns the number of seeds for a proof: a few in each `npm test`, more in the longer proofs. */
export const seeds = (few: number, many: number): number => (isLong ? many : few)
