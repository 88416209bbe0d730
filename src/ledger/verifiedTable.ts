/**
 * The migration for rows that are verified: digests of what was sent and came back. They stood in `detail` before, and may still do there, in pages that what was sent had filled: more than
 * half of a ledger was empty.
 */
export const verifiedTable = `
  CREATE TABLE verified (row INTEGER PRIMARY KEY REFERENCES row, answers BLOB) STRICT;
`
