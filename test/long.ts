/** Whether the longer proofs run: `LONG=1 npx vitest run FILES`, as in CI. */
export const isLong = process.env["LONG"] !== undefined

/** Returns the number of seeds of a proof: a few in every `npm test`, more in the longer proofs. */
export const seeds = (few: number, many: number): number => (isLong ? many : few)
