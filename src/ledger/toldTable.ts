/** The migration for what webhooks were told: the anomalies that stood when one was last told, and up to which run. */
export const toldTable = `
  CREATE TABLE told (
    place INTEGER NOT NULL REFERENCES place, webhook TEXT NOT NULL, codes TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (place, webhook)
  ) STRICT, WITHOUT ROWID;
`
