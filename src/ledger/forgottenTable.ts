/** The migration for rows that were forgotten: of a submission that stands in the form for ever its id is all that stays, so that it is never taken for another row's. */
export const forgottenTable = `
  CREATE TABLE forgotten (id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place, submission TEXT NOT NULL) STRICT;
`
