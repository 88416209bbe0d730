import { declaredKept, declaredRow } from "./row.ts"

/**
 * All tables. You may change them: a ledger with a different schema is refused, not migrated. But `ledger migrate` of every build reads `meta`, `lock`
 * and `turn`, to know whether a run is in progress.
 *
 * Rows are stored in the order in which they were first sent, so that settling and reading back write close to the last intents. Only the index by
 * key digest is written at random positions, once for each row.
 */
export const tableStatements = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

  -- Texts that repeat: fingerprints, lists of columns, ids of questions.
  CREATE TABLE text (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;

  -- A pipeline at a destination; typed: the form's id as the pipeline names it; separate: the service's name in the project if its forms
  -- are separate, whatever their ids, otherwise empty; latest: the last run that read the source; shape: the columns of the first content that was sent.
  CREATE TABLE place (
    id INTEGER PRIMARY KEY, pipeline TEXT NOT NULL, service TEXT NOT NULL, form TEXT NOT NULL, typed TEXT NOT NULL, separate TEXT NOT NULL, latest INTEGER, shape INTEGER,
    UNIQUE (pipeline, service, form)
  ) STRICT;

  -- A held lock may be taken over once its holder has sent no heartbeat (beat) for the time that it lasts, in milliseconds.
  CREATE TABLE lock (
    pipeline TEXT PRIMARY KEY, epoch INTEGER NOT NULL, held INTEGER NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL, boot TEXT NOT NULL,
    since INTEGER NOT NULL, beat INTEGER NOT NULL, lasts INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Every hold of a lock, by its epoch. word: random, also in its mark; upTo: how many of its commits its mark counts.
  CREATE TABLE holder (epoch INTEGER PRIMARY KEY, word TEXT NOT NULL, upTo INTEGER NOT NULL) STRICT;

  CREATE TABLE run (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place, name TEXT NOT NULL, mode TEXT, started TEXT, finished TEXT, outcome TEXT, exit INTEGER,
    counts TEXT, UNIQUE (place, name)
  ) STRICT;

  -- imported: how many rows of this batch are imported, to count rows under another mapping. ended: when its request had certainly ended; NULL: it
  -- may still arrive. closed: the highest batch number at that time, so higher ones started later. dead: its end is known only from the end of its
  -- process.
  CREATE TABLE batch (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place, epoch INTEGER NOT NULL, run INTEGER NOT NULL REFERENCES run, sent INTEGER NOT NULL,
    mapping INTEGER NOT NULL, columns INTEGER NOT NULL, open INTEGER NOT NULL, imported INTEGER NOT NULL, loose TEXT,
    ended INTEGER, closed INTEGER, dead INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX batch_open ON batch (place) WHERE open = 1;
  CREATE INDEX batch_run ON batch (run);
  CREATE INDEX batch_mapping ON batch (place, mapping, imported);
  CREATE INDEX batch_unended ON batch (epoch) WHERE ended IS NULL;
  CREATE INDEX batch_loose ON batch (place) WHERE loose IS NOT NULL;

  CREATE TABLE row (${declaredRow}) STRICT;
  CREATE UNIQUE INDEX row_key ON row (place, digest);
  CREATE INDEX row_batch ON row (batch);
  CREATE INDEX row_unverified ON row (place) WHERE verdict > 0;
  CREATE INDEX row_doubt ON row (place) WHERE state = 1;
  CREATE INDEX row_submission ON row (submission) WHERE submission IS NOT NULL;

  -- What was sent (until it is verified) and what was returned (as digests).
  CREATE TABLE detail (row INTEGER PRIMARY KEY REFERENCES row, item TEXT, cells TEXT, answers BLOB) STRICT;

  -- batch: the last one that put the row in doubt; first: the first one, if the row was resent later.
  CREATE TABLE doubt (
    row INTEGER PRIMARY KEY REFERENCES row, batch INTEGER NOT NULL, first INTEGER NOT NULL, reason TEXT NOT NULL
  ) STRICT;

  -- Holders of a lock that were overtaken while they had open batches, until they are known to have ended.
  CREATE TABLE overtaken (epoch INTEGER PRIMARY KEY, pid INTEGER NOT NULL, born TEXT NOT NULL, boot TEXT NOT NULL) STRICT;

  -- Texts that a person enters in the form, to show that an export was made later. after: the highest batch number when the text was issued.
  CREATE TABLE testEntry (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place, text TEXT NOT NULL, at INTEGER NOT NULL, after INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE refusal (row INTEGER PRIMARY KEY REFERENCES row, item BLOB NOT NULL, mapping INTEGER NOT NULL, form INTEGER NOT NULL, message TEXT NOT NULL) STRICT;

  -- Contents that a fixed row replaced; columns: the list that they cover; fixed: that row; they count once it may be in the form. Both digest (empty) and
  -- key (NULL) are missing if the content had no key, or if it was lost. Only key is NULL if it had none, and the row got its key in the source.
  CREATE TABLE superseded (
    place INTEGER NOT NULL REFERENCES place, digest BLOB NOT NULL, key TEXT, content BLOB NOT NULL, columns INTEGER NOT NULL,
    fixed INTEGER NOT NULL REFERENCES row, PRIMARY KEY (place, digest, content, fixed)
  ) STRICT, WITHOUT ROWID;

  -- Rows that need review; columns: the list of columns that the content covers; seen: the last run that found the row in this state. digest is empty for
  -- a row without a key.
  CREATE TABLE attention (
    place INTEGER NOT NULL REFERENCES place, digest BLOB NOT NULL, key TEXT, content BLOB NOT NULL, columns INTEGER NOT NULL, what INTEGER NOT NULL, row INTEGER NOT NULL, seen INTEGER NOT NULL,
    PRIMARY KEY (place, digest, content, what)
  ) STRICT, WITHOUT ROWID;

  -- what: as in attention, a fate by number; 100 differing, 101 missing.
  CREATE TABLE acknowledged (
    place INTEGER NOT NULL REFERENCES place, digest BLOB NOT NULL, content BLOB NOT NULL, what INTEGER NOT NULL, at INTEGER NOT NULL, by TEXT NOT NULL,
    because TEXT NOT NULL, PRIMARY KEY (place, digest, content, what)
  ) STRICT, WITHOUT ROWID;

  -- What a person accepted and would otherwise be refused. reason: one of acceptReasons; state: exactly what was refused.
  CREATE TABLE accepted (
    place INTEGER NOT NULL REFERENCES place, reason TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL, by TEXT NOT NULL, because TEXT NOT NULL,
    PRIMARY KEY (place, reason, state)
  ) STRICT, WITHOUT ROWID;

  -- Files of a pattern that runs have read completely: by their name below the pattern's folder.
  CREATE TABLE readFile (
    place INTEGER NOT NULL REFERENCES place, name TEXT NOT NULL, at INTEGER NOT NULL, PRIMARY KEY (place, name)
  ) STRICT, WITHOUT ROWID;

  -- Rows that a person skipped permanently, by the digest of the key (keyed = 1) or of the content (0). For forgotten rows, also digests of the key
  -- without its formatting (2), and key is NULL.
  CREATE TABLE leftOut (
    place INTEGER NOT NULL REFERENCES place, keyed INTEGER NOT NULL, digest BLOB NOT NULL, key TEXT, at INTEGER NOT NULL, by TEXT NOT NULL, because TEXT NOT NULL,
    PRIMARY KEY (place, keyed, digest)
  ) STRICT, WITHOUT ROWID;

  -- What is recorded about a place, as JSON: identity, form, canary, refused (Facts).
  CREATE TABLE fact (place INTEGER NOT NULL REFERENCES place, name TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (place, name)) STRICT, WITHOUT ROWID;

  -- Verified submissions that were edited (0) or deleted (1) later, as they were last seen; seen: digest of what was seen; run: the run that saw it.
  CREATE TABLE drift (row INTEGER PRIMARY KEY REFERENCES row, standing INTEGER NOT NULL, seen BLOB NOT NULL, run INTEGER NOT NULL REFERENCES run) STRICT;

  -- A reconciliation that has not finished: the run that started it, and the last row up to which all were read.
  CREATE TABLE reconciliation (
    place INTEGER PRIMARY KEY REFERENCES place, run INTEGER NOT NULL REFERENCES run, after INTEGER NOT NULL REFERENCES row, at INTEGER NOT NULL
  ) STRICT;

  -- What settled rows in doubt: a person's statement, or an export of the form's results (its name and digest; complete: a person vouched that it is complete).
  CREATE TABLE settlement (
    id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place, at INTEGER NOT NULL, by TEXT NOT NULL, because TEXT, file TEXT, sha256 TEXT, complete INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX settlement_place ON settlement (place);

  -- The rows it settled. batch: the one that had put the row in doubt; submission: the row's submission, if known; proof: what showed it.
  CREATE TABLE settled (
    settlement INTEGER NOT NULL REFERENCES settlement, row INTEGER NOT NULL REFERENCES row, batch INTEGER NOT NULL, landed INTEGER NOT NULL, submission TEXT,
    reason TEXT NOT NULL, proof TEXT NOT NULL, PRIMARY KEY (settlement, row)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX settled_row ON settled (row);

  -- A pipeline's last turn by schedule: when it was taken, its state (0 done, 1 in progress, 2 broken off), how often a run was started for it,
  -- the process that took it, the time of that process's last heartbeat, and how long it lasts without one, as in lock.
  CREATE TABLE turn (
    pipeline TEXT PRIMARY KEY, at INTEGER NOT NULL, state INTEGER NOT NULL, tries INTEGER NOT NULL, pid INTEGER NOT NULL, born TEXT NOT NULL, boot TEXT NOT NULL,
    beat INTEGER NOT NULL, lasts INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- Submissions whose row changed and was imported again: they stay in the form. Each was replaced by the row's next entry here, or else by the row's
  -- present submission. by: the batch that replaced it; at: when its outcome was known, NULL until then. item, cells, answers, fixes (the content that
  -- the new row fixes): kept until then, because they are restored if the row is not created after all.
  CREATE TABLE replaced (
    id INTEGER PRIMARY KEY, row INTEGER NOT NULL REFERENCES row, ${declaredKept},
    by INTEGER NOT NULL, at INTEGER, item TEXT, cells TEXT, answers BLOB, fixes BLOB
  ) STRICT;
  CREATE INDEX replaced_row ON replaced (row);
  CREATE INDEX replaced_submission ON replaced (submission);
  CREATE INDEX replaced_open ON replaced (by) WHERE at IS NULL;

  -- Imported rows whose changed content the service refused: their earlier submissions stay.
  CREATE TABLE refusedAgain (
    row INTEGER PRIMARY KEY REFERENCES row, item BLOB NOT NULL, mapping INTEGER NOT NULL, form INTEGER NOT NULL, message TEXT NOT NULL
  ) STRICT;

  -- Imported rows that the pipeline's source no longer contains; run: the first that did not find them.
  CREATE TABLE vanished (row INTEGER PRIMARY KEY REFERENCES row, run INTEGER NOT NULL REFERENCES run) STRICT;

  -- Rows that were forgotten: only the submission's id remains, so that it is never matched to a different row.
  CREATE TABLE forgotten (id INTEGER PRIMARY KEY, place INTEGER NOT NULL REFERENCES place, submission TEXT NOT NULL) STRICT;
  CREATE INDEX forgotten_submission ON forgotten (submission);

  -- What each webhook was last notified of: the anomalies at that time, and the last run that was reported to it.
  CREATE TABLE told (
    place INTEGER NOT NULL REFERENCES place, webhook TEXT NOT NULL, codes TEXT NOT NULL, run TEXT NOT NULL, PRIMARY KEY (place, webhook)
  ) STRICT, WITHOUT ROWID;

  -- Verified rows: digests of what was sent and returned. Not in detail, whose pages the next rows reuse.
  CREATE TABLE verified (row INTEGER PRIMARY KEY REFERENCES row, answers BLOB) STRICT;
`
