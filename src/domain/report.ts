import * as Schema from "effect/Schema"
import { anomalyCodes } from "./anomaly.ts"
import { cellStates, cellStateWords, columnUses } from "./cells.ts"
import { type AnswerVerdict, answerVerdicts } from "./comparison.ts"
import { fates, fateWords, type Verdict, verdicts, verdictWords } from "./fate.ts"
import { problemCodes } from "./problem.ts"
import { phases } from "./progress.ts"
import {
  Count,
  CountOrZero,
  counts,
  Digested,
  EditLink,
  Flag,
  group,
  List,
  ListOrEmpty,
  maybe,
  OfRows,
  Redaction,
  Section,
  Text,
  TextOrEmpty,
  Value,
  withDefault,
} from "./reportFields.ts"
import { modes, outcomes } from "./run.ts"
import { namesOf } from "./words.ts"

// The report of a run, declared once for several uses: the types, the order and documentation of report.json, reading reports of other versions, and `--redact`.

const phaseNames = namesOf(phases)

const aboutVerdict = (verdict: Verdict): string =>
  `submissions with the verdict \`${verdict}\`: ${verdictWords[verdict].meaning}`

/** A file that a run read, and how it was interpreted. */
export const SourceFile = Schema.Struct({
  file: Text("a file that was read"),
  format: TextOrEmpty("the format in which the file was read"),
  bytes: CountOrZero("the file's size"),
  sha256: TextOrEmpty("the file's digest, hexadecimal"),
  rows: CountOrZero("the file's data records"),
  taken: ListOrEmpty(Schema.Struct({
    what: Text("a property that was detected or set, in display order: encoding, delimiter, sheet, …"),
    value: Text("the value of that property"),
  })),
  unread: maybe(List(Schema.Struct({
    what: Schema.Literal("sheet", "file", "member", "outside").annotations({
      description:
        "a part of the file that is not read: another visible `sheet`, another `file` of the archive, a `member` of JSON records, or a place `outside` the records or the range",
    }),
    name: Text("the name of that part"),
    cells: maybe(
      Count(
        "for a member, the number of records with a value for it (`others`: all after the first 50); for a place outside the records, the number of its values",
      ),
    ),
  }))),
  lines: maybe(Schema.Struct({
    physical: Count("lines of a text file, counted independently of the reader; the sum of the next four counts"),
    above: Count("lines above the first record"),
    records: Count("records"),
    inside: Count("line breaks inside cells"),
    blank: Count("blank lines"),
    open: maybe(Schema.Literal(true).annotations({ description: "`true` if the last line has no line end" })),
  })),
  longest: maybe(Schema.Struct({
    column: Text("the column of the longest cell"),
    row: Count("the row of that cell"),
    length: Count("the length of that cell in characters"),
  })),
})
export type SourceFile = typeof SourceFile.Type
export type Unread = NonNullable<SourceFile["unread"]>[number]
export type LineCounts = NonNullable<SourceFile["lines"]>
export type LongestCell = NonNullable<SourceFile["longest"]>

/** Problems that have the same kind, column and question, with a few examples. */
const ProblemGroup = Schema.Struct({
  code: Schema.Literal(...problemCodes).annotations({ description: "a problem code" }),
  column: maybe(Text("the column that causes the problem")),
  question: maybe(Text("the id of the question that should get the value")),
  dropped: maybe(
    Schema.Literal(true).annotations({
      description: "`true` if only that answer was omitted and the row was sent (`onInvalid: drop`)",
    }),
  ),
  count: Count("how often it occurs"),
  examples: ListOrEmpty(
    Schema.Struct({
      row: Count("the row's number in the source, counting from 1"),
      value: maybe(Digested("the value, cut to 80 characters")),
      message: withDefault(
        Text("a sentence that names the column, the value and what was expected").annotations({
          [Redaction]: () => "",
        }),
        () => "",
      ),
    }),
    { [OfRows]: true },
  ),
})
export type ProblemGroup = typeof ProblemGroup.Type

/** An answer that did not come back as it was sent. */
export const Difference = Schema.Struct({
  row: Count("the row's number"),
  key: Digested("the row key"),
  submissionId: Text("the submission"),
  question: Text("the id of the question or element, or `submissionTime`, `lastUpdatedAt` or `login`"),
  name: TextOrEmpty("the question's name"),
  verdict: Schema.Literal(...answerVerdicts).annotations({
    description:
      "`different`, `absent` (sent, not returned), `unexpected` (returned, not sent) or `not comparable` (of an unknown type)",
  }),
  // In these two fields, null is a value. It does not mean that the field is empty.
  sent: Schema.optional(Value("what was sent")),
  returned: Schema.optional(Value("what came back")),
  editLink: maybe(EditLink("where the submission can be edited")),
})
export type Difference = typeof Difference.Type

/** Answers to a question that changed in the same way. All of them are one finding, however many submissions are affected. */
const Finding = Schema.Struct({
  question: Text("the id of a question whose answers changed in the same way"),
  name: TextOrEmpty("the question's name"),
  verdict: Schema.Literal(...answerVerdicts).annotations({ description: "as in `differences`" }),
  pattern: Text("what happened to the values, described without repeating them"),
  count: Count("the number of answers that changed in this way; each has its own line in `differences.csv`"),
  note: maybe(Text("what else these answers have in common")),
  tolerated: maybe(Text("why the pipeline tolerates differences in this question")),
  examples: ListOrEmpty(Difference, { [OfRows]: true, description: "up to five examples" }),
})
export type Finding = typeof Finding.Type

/** Answers to a question that the service returned in a different form, but with the same meaning. */
const Normalisation = Schema.Struct({
  question: Text("the id of a question whose answers came back in a different form with the same meaning"),
  name: TextOrEmpty("the question's name"),
  what: Text("what was normalised"),
  count: Count("the number of these answers"),
  example: Schema.Struct({
    row: Count("the row of one example"),
    submissionId: Text("the row's submission"),
    sent: Difference.fields.sent,
    returned: Difference.fields.returned,
  }),
})
export type Normalisation = typeof Normalisation.Type

/** Rows in doubt for the same reason, among all rows of the pipeline in the ledger. */
const Doubt = Schema.Struct({
  reason: Text("why rows of this pipeline are in doubt; rows of earlier runs are included"),
  count: Count("how many rows have this reason"),
  acknowledged: CountOrZero("how many of these rows a person has acknowledged"),
  fresh: CountOrZero("how many of these rows were sent by this run"),
  firstSentAt: Text("when the first of these rows was sent"),
  lastSentAt: Text("when the last of these rows was sent"),
})
export type Doubt = typeof Doubt.Type

/** Rows in doubt that were settled together. */
const Settlement = Schema.Struct({
  at: Text("when rows in doubt were settled; only the latest 20 settlements are listed"),
  by: Text("by whom; `formferry` if a run settled them from the form's list"),
  because: maybe(Text("the reason that a person gave")),
  file: maybe(Schema.Struct({
    name: Text(
      "the export of the form's results, or the form's list, that was the evidence; `null` if a person decided",
    ),
    sha256: Text("the digest of that file; empty for a list"),
    isComplete: Flag("whether a person confirmed that the export is complete"),
  })),
  landed: Count("rows that had arrived"),
  notLanded: Count("rows that had not arrived: the next run sends them"),
})
export type Settlement = typeof Settlement.Type

/** A row that was imported earlier with different content, and was imported again. */
export const Replacement = Schema.Struct({
  row: Count("the row's number"),
  key: Digested("the row key"),
  submissionId: Text("the new submission"),
  replaces: maybe(Text("the earlier submission, which stays in the form until a person removes it")),
  editLink: maybe(EditLink("where a person can edit or void the earlier submission")),
})
export type Replacement = typeof Replacement.Type

/** Something about a run that a person should look at, although no row failed because of it. */
const Anomaly = Schema.Struct({
  code: Schema.Literal(...anomalyCodes).annotations({
    description: `what differs from past runs: ${anomalyCodes.map((code) => `\`${code}\``).join(", ")}`,
  }),
  sentence: Text("a sentence for people, with the figures"),
  fresh: withDefault(Flag("whether the anomaly is new, because the previous run did not have it"), () => true),
})
export type Anomaly = typeof Anomaly.Type

/** Requests by operation. */
const requestCounts = {
  metadata: CountOrZero("requests for the form"),
  create: CountOrZero("requests that create submissions"),
  read: CountOrZero("requests that read submissions"),
  retried: CountOrZero("how many of these requests retried a failed one"),
  throttled: CountOrZero("how many of these requests were answered with 429"),
}
const RequestCounts = Schema.Struct(requestCounts)
export type RequestCounts = typeof RequestCounts.Type

/** Requests over time, in consecutive spans of equal length. */
const PaceOverTime = Schema.Struct({
  from: Text("when the first span of time starts"),
  every: Count("the length of a span in milliseconds: one second, or longer so that there are at most 240 spans"),
  buckets: Schema.Array(RequestCounts).annotations({
    description:
      "requests within a span, counted as in `requests`; the counts of all spans add up to those of `requests`",
  }),
})
export type PaceOverTime = typeof PaceOverTime.Type

/** A column of a source, with its filled cells and their states. */
const ColumnCells = Schema.Struct({
  title: Text("the title of a column of the source; `columns` is `null` if no row was read"),
  position: Count(
    "the column's number, counting from 1; cells beyond the header have the number of the last column plus 1",
  ),
  use: Schema.Literal(...columnUses).annotations({
    description:
      "`answers` (it fills answers), `keyOrCondition` (part of the row key or of a condition, and nothing else), `ignored` (by `mapping.ignore`) or `notMapped`",
  }),
  cells: Count("the column's filled cells in all rows read: the sum of the twelve counts that follow"),
  states: Schema.Struct(counts(cellStates, (state) => cellStateWords[state].meaning)),
})
export type ColumnCells = typeof ColumnCells.Type

/** How a question is filled. */
const MappedQuestion = Schema.Struct({
  columns: ListOrEmpty(Text("a column that fills the question; empty for a constant")),
  question: Text("the question's id, as in `questions`"),
  name: TextOrEmpty("the question's name"),
  values: ListOrEmpty(Schema.Struct({
    cell: Digested("a cell that the pipeline or an option's label translates into an answer; the first 50"),
    answer: maybe(Digested("the cell's answer, as written in the pipeline or the form; `null`: no answer")),
  })),
  translated: CountOrZero("the number of all translated cells"),
})

/** An answer in an example row. */
const SampledAnswer = Schema.Struct({
  row: Count("one of the first three rows that were sent or, in a dry run, would be sent"),
  key: Digested("the row key"),
  submissionId: maybe(Text("the row's submission")),
  columns: ListOrEmpty(Text("a column that the answer comes from")),
  cells: ListOrEmpty(Digested("the column's cell, as in the source")),
  question: Text("the question's id, as in `questions`"),
  name: TextOrEmpty("the question's name"),
  sent: Schema.optional(Value("what was sent")),
  returned: Schema.optional(Value("what came back")),
  verdict: maybe(
    Schema.Literal(...answerVerdicts).annotations({
      description: "how `sent` and `returned` compare, as in `questions[].verdicts`; `null`: not read back",
    }),
  ),
})
export type SampledAnswer = typeof SampledAnswer.Type

/** An answer that a changed row now has and its submission has not. */
const ChangedAnswer = Schema.Struct({
  row: Count("one of the first 20 rows with the fate `changed`"),
  key: Digested("the row key"),
  submissionId: Text("the submission of the row as it was imported"),
  columns: ListOrEmpty(Text("a column that the answer comes from")),
  question: Text("the question's id, as in `questions`"),
  name: TextOrEmpty("the question's name"),
  inForm: Value("the value in the form; `null`: none"),
  now: Value("the value that the row has now; `null`: none"),
})
export type ChangedAnswer = typeof ChangedAnswer.Type

/** The number of answers by verdict. Verdicts that did not occur are omitted. */
type AnswersByVerdict = { readonly [V in AnswerVerdict]?: number }
const AnswersByVerdict: Schema.Schema<AnswersByVerdict> = Schema.Record({
  key: Schema.String,
  value: Schema.Number,
}).annotations({ description: `answers by verdict, if they occurred: \`${answerVerdicts.join("`, `")}\`` })

/** What a run did: report.json, in its order. Times are ISO 8601 in UTC. */
export const RunReport = Schema.Struct({
  pipeline: Text("the pipeline's name"),
  run: Text("the run's id, which is its folder's name"),
  mode: Schema.Literal(...modes).annotations({ description: "`run`, `rehearsal`, `dry-run` or `reconcile`" }),
  form: group({
    service: TextOrEmpty("the service's name in the project"),
    id: TextOrEmpty("the form's id"),
    name: TextOrEmpty("the form's name"),
  }),
  startedAt: Text("when the run started"),
  finishedAt: Text("when the run ended"),
  outcome: Schema.Literal(...outcomes).annotations({
    description:
      "`complete`, `attention` (rows need review), `inDoubt`, `differing` (something differs, is missing or unread), `stopped` (to protect the form), `unavailable` or `interrupted`",
  }),
  exitCode: Count("the command's exit code"),
  ledger: group({
    id: TextOrEmpty("the ledger that the run wrote"),
    lastIntent: CountOrZero("the number of the ledger's last intent"),
  }),
  acknowledged: CountOrZero("rows of this run that need review and were acknowledged by a person"),
  sources: ListOrEmpty(SourceFile),
  rows: group({
    read: CountOrZero("rows of the source: the sum of the ten counts that follow"),
    ...counts(fates, (fate) => fateWords[fate].meaning),
  }),
  readBack: group(
    counts(verdicts, aboutVerdict),
  ),
  balance: group({
    holds: withDefault(
      Flag("whether every row has one fate, every submission one verdict, and every cell that is not empty one state"),
      () => true,
    ),
  }),
  requests: group(requestCounts),
  problems: ListOrEmpty(ProblemGroup),
  differences: ListOrEmpty(Difference, {
    [OfRows]: true,
    description: "at most 1,000; all of them are in `differences.csv`",
  }),
  discarded: ListOrEmpty(
    Schema.Struct({
      type: Text("a type of field that formferry does not know"),
      count: Count("fields of that type that were discarded"),
    }),
    {
      [Section]: {
        title: "Discarded fields",
        columns: { count: "fields" },
        intro:
          "The submissions contain fields of types that formferry does not know. They were discarded, as the service requires, and could not be compared, unless the form gives the question a known type.",
      },
    },
  ),
  values: withDefault(
    Schema.Literal("shown", "masked").annotations({ description: "`shown`, or `masked` (`--redact`)" }),
    () => "shown" as const,
  ),
  because: ListOrEmpty(Text("the reasons for the outcome, in sentences"), { [OfRows]: true }),
  next: maybe(Text("the command to run next")),
  findings: ListOrEmpty(Finding),
  normalised: ListOrEmpty(Normalisation, { [OfRows]: true }),
  inDoubt: ListOrEmpty(Doubt, { [OfRows]: true }),
  needReview: maybe(Count("rows of this run that need review and are not acknowledged")),
  readBackEarlier: maybe(
    Schema.Struct(counts(["verified", "differing", "missing"] as const, aboutVerdict)).annotations({
      description: "submissions of earlier runs that this run read back; `null` if there were none",
    }),
  ),
  settled: maybe(List(Settlement)),
  replaced: maybe(Schema.Struct({
    count: Count(
      "rows that changed and were imported again (`onChange: import-again`); all are in `replaced.csv`, at most 1,000 in `examples`",
    ),
    examples: ListOrEmpty(Replacement, { [OfRows]: true }),
  })),
  changes: maybe(List(ChangedAnswer, {
    [OfRows]: true,
    [Section]: {
      title: "Changed rows",
      intro:
        "What differs between the first changed rows and their submissions. The submissions were read from the form, so a value may also have been edited there.",
      columns: {
        submissionId: "submission",
        columns: "column",
        question: false,
        name: "question",
        inForm: "in the form",
      },
      heading: ["row", "key", "submissionId"],
    },
  })),
  vanished: maybe(
    Schema.Struct({
      count: Count("rows imported earlier that are no longer in the source; all are in `vanished.csv`"),
      fresh: CountOrZero("how many of these rows the previous run's source still contained"),
    }).annotations({
      description:
        "`null` if not checked: the source was not the pipeline's own, was not read to its end, or the pipeline has `vanished: ignore`",
    }),
  ),
  wholeForm: maybe(
    Schema.Struct({
      submissions: Count("the number of submissions in the form's list"),
      unknown: Count("how many of these are not in the ledger, for any pipeline; all are in `whole-form.csv`"),
      missing: Count(
        "submissions of any pipeline that the ledger requires and the form lacks; all are in `whole-form.csv`",
      ),
    }).annotations({
      description:
        "`null` without `reconcile --whole-form`, or if nothing proves that the list shows every submission; a warning then says why",
    }),
  ),
  unchangedSince: maybe(Text(
    "the id of the earlier run whose counts this report repeats, because nothing has changed since then and no row was read",
  )),
  anomalies: maybe(List(Anomaly)),
  sent: CountOrZero("rows of this run whose create request was answered"),
  questions: ListOrEmpty(Schema.Struct({
    id: Text("a question or element that the pipeline fills"),
    name: Text("the name of the question or element"),
    kind: Text("the kind of the question's values"),
    answered: Count("rows among `sent` that answer the question"),
    verdicts: withDefault(AnswersByVerdict, (): AnswersByVerdict => ({})),
  })),
  unanswered: maybe(List(Schema.Struct({
    id: Text("a question of the form that the pipeline does not answer"),
    name: Text("the question's name"),
    state: Schema.Literal("ignored", "notMapped").annotations({
      description: "`ignored` (on purpose, by `mapping.ignoreQuestions`) or `notMapped`",
    }),
  }))),
  columns: maybe(List(ColumnCells)),
  mapping: maybe(List(MappedQuestion, {
    [Section]: {
      title: "Mapping",
      intro:
        "Which columns fill which question, and which cells are translated into a different answer. A question without a column has the same answer in every row.",
      columns: { columns: "column", question: false, name: "question", values: "translated", translated: false },
      all: { values: "translated" },
    },
  })),
  samples: maybe(List(SampledAnswer, {
    [OfRows]: true,
    [Section]: {
      title: "Rows side by side",
      intro:
        "The first rows of this run, answer by answer: the source's cells, what was sent for them, and what came back.",
      columns: { submissionId: "submission", question: false, cells: "source" },
      above: { cells: "columns", sent: "name", returned: "verdict" },
      heading: ["row", "key", "submissionId"],
    },
  })),
  zone: withDefault(Text("the time zone in which this report shows times"), () => "UTC"),
  phases: ListOrEmpty(Schema.Struct({
    phase: Schema.Literal(...phaseNames).annotations({
      description: `a step of the run, in order: ${phaseNames.map((phase) => `\`${phase}\``).join(", ")}`,
    }),
    millis: Count("the duration of the step in milliseconds; the sum is the time from `startedAt` to `finishedAt`"),
  })),
  pace: maybe(PaceOverTime),
  warnings: ListOrEmpty(Text("notes that don't concern a single row, in sentences"), {
    [Section]: { title: "Warnings" },
  }),
  versions: group({
    formferry: TextOrEmpty("the version of formferry"),
    node: TextOrEmpty("the version of Node.js that formferry ran on"),
  }),
  fingerprints: group({
    mapping: TextOrEmpty("changes when the mapping could produce a different submission from the same row"),
    form: TextOrEmpty("changes when the form changes"),
  }),
})
export type RunReport = typeof RunReport.Type
