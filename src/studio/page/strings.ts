import type { Fate, Verdict } from "../../domain/fate.ts"
import type { Phase } from "../../domain/progress.ts"
import type { Outcome, RecordedMode } from "../../domain/run.ts"
import type { Tone } from "../../domain/words.ts"

// Every text of the page. The words for fates, verdicts, outcomes, modes and phases are those of src/domain, as a test checks.

interface Word {
  readonly title: string
  readonly tone: Tone
}

const number = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 1 })
const minute = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "short" })

/** Returns a number with thousands separators. */
export const count = (value: number): string => number.format(value)

const counted = (value: number, one: string, many = `${one}s`): string => `${count(value)} ${value === 1 ? one : many}`

/** Returns a share from 0 to 1 in percent. Only a whole is 100%. */
export const percent = (share: number): string => `${share === 1 ? 100 : Math.min(99, Math.round(share * 100))}%`

/** Returns an instant (ISO 8601) as the reader's clock shows it. */
export const when = (text: string): string =>
  Number.isNaN(Date.parse(text)) ? text : minute.format(new Date(text))

/** Returns a time (milliseconds) in at most two units. */
export const lasting = (millis: number): string => {
  const seconds = Math.round(millis / 1000)
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60]
  return hours > 0 ? `${hours}h ${minutes}m` : minutes > 0 ? `${minutes}m ${seconds % 60}s` : `${seconds}s`
}

export const fates: { readonly [F in Fate]: Word } = {
  filtered: { title: "left out", tone: "calm" },
  duplicate: { title: "duplicate", tone: "warn" },
  alreadyImported: { title: "already imported", tone: "good" },
  changed: { title: "changed", tone: "warn" },
  undone: { title: "undone", tone: "calm" },
  invalid: { title: "invalid", tone: "warn" },
  refused: { title: "refused", tone: "bad" },
  inDoubt: { title: "in doubt", tone: "bad" },
  pending: { title: "pending", tone: "calm" },
  imported: { title: "imported", tone: "good" },
}

export const verdicts: { readonly [V in Verdict]: Word } = {
  verified: { title: "verified", tone: "good" },
  differing: { title: "differing", tone: "bad" },
  missing: { title: "missing", tone: "bad" },
  unread: { title: "unread", tone: "warn" },
}

export const outcomes: { readonly [O in Outcome]: Word } = {
  complete: { title: "Complete", tone: "good" },
  attention: { title: "Rows need review", tone: "warn" },
  inDoubt: { title: "Rows are in doubt", tone: "bad" },
  differing: { title: "Not everything is verified", tone: "bad" },
  stopped: { title: "Stopped", tone: "bad" },
  unavailable: { title: "Not finished", tone: "bad" },
  interrupted: { title: "Interrupted", tone: "warn" },
}

export const modes: { readonly [M in RecordedMode | "check"]: string } = {
  check: "check",
  run: "run",
  rehearsal: "rehearsal",
  "dry-run": "dry run",
  reconcile: "reconcile",
  undo: "undo",
}

export const phases: { readonly [P in Phase]: string } = {
  pull: "pull",
  job: "pull",
  download: "pull",
  settle: "settle",
  survey: "survey",
  canary: "canary",
  import: "import",
  readBack: "read back",
  report: "report",
  known: "read the ledger",
  results: "read the results",
  list: "list the form",
  wait: "wait",
  lag: "wait",
  undo: "undo",
  export: "export",
  reports: "search the reports",
  rewrite: "rewrite the ledger",
  copy: "copy the ledger",
  verify: "verify the ledger",
}

export const failures = {
  unreachable: "The studio does not answer. Check the terminal in which it was started. Nothing was changed.",
  forbidden: "This page's session has ended. Press o in the studio's terminal for a new link.",
  unknown: (status: number) => `The studio answered with status ${status}. Nothing was changed.`,
}

export const general = {
  product: "formferry studio",
  empty: "empty",
  nothing: "none",
  loading: "Loading…",
  sending: "Sending the file…",
  working: "Working…",
  cancel: "Cancel",
  close: "Back to the list",
  previous: "Previous",
  more: "Next",
  next: "Next:",
  severity: { error: "error", warning: "warning" },
}

export const shell = {
  home: "Pipelines",
  skip: "Skip to the content",
  views: { map: "Map", run: "Run", results: "Results" },
  viewsOf: (pipeline: string) => `Views of ${pipeline}`,
  asking: (pipeline: string) => `${pipeline}: confirm the run`,
  going: (pipeline: string, mode: RecordedMode | "check") => `${pipeline}: ${modes[mode]} in progress`,
}

export const home = {
  title: "Pipelines",
  demo: "This is the sample project. The practice service runs on this machine, and nothing leaves it.",
  none: "There is no pipeline yet. Start with a file below.",
  going: "In progress",
  never: "Never ran",
  unfinished: "Not finished",
  imported: "imported",
  inDoubt: "in doubt",
  refused: "refused",
  noSchedule: "Not scheduled",
  next: (time: string) => `Next run: ${time}`,
  notBegun: (time: string) => `The run that was due on ${time} failed before it started.`,
  open: { map: "Map", run: "Run", results: "Results" },
  bar: (time: string, mode: string, sent: number | undefined, outcome: string) =>
    `${time}: ${mode}, ${sent === undefined ? "" : `${counted(sent, "row")} sent, `}${outcome}`,
  bars: (runs: ReadonlyArray<string>) => `The last runs. ${runs.join(". ")}`,
  create: {
    title: "New pipeline",
    drop: "Drop a file with answers here, or choose one",
    hint: "CSV, Excel, JSON, or an export of a form tool. It is stored in the project's folder.",
    stored: "Stored:",
    name: "Name of the pipeline",
    service: "Service",
    form: "Form",
    labels: "Definition of the form, if its tool exported one",
    go: "Create the pipeline",
  },
}

export const board = {
  label: "Columns and questions",
  search: "Search",
  onlyOpen: "Only what is open",
  columns: (shown: number, all: number) => shown === all ? counted(all, "column") : `Columns: ${count(shown)}, of ${count(all)}`,
  questions: (shown: number) => counted(shown, "question"),
  states: { mapped: "Mapped", unanswered: "Left unanswered", open: "Open", missing: "Not mapped" },
  suggested: (confidence: number) => `Suggested, ${percent(confidence)}`,
  filled: (fill: number) => `${percent(fill)} filled`,
  traps: (traps: number) => counted(traps, "possible problem"),
  unused: "left behind",
  required: "Required",
  perhaps: "perhaps",
  acceptIt: "Accept",
  rejectIt: "Reject",
  accept: (question: string) => `Accept the suggestion for ${question}`,
  reject: (question: string) => `Reject the suggestion for ${question}`,
  fold: (block: string, columns: number) => columns > 1 ? `Show the ${columns} columns of ${block}` : `Fold ${block}`,
}

export const detail = {
  openTitle: "What is open",
  nothingOpen: "Nothing is open. Check the preview, then save.",
  openQuestions: (open: number) => counted(open, "open question"),
  line: (line: number) => `line ${line}`,
  options: "Options",
  answeredBy: "Answered by",
  other: "Other columns",
  choose: "Choose…",
  block: (title: string, columns: number) => `${title} (all ${columns} columns)`,
  accept: "Accept",
  reject: "Reject",
  use: "Use this",
  unmap: "Remove the entry",
  leave: "Leave unanswered",
  ask: (key: string) => key === "format" ? "Which reading is correct?" : `Which ${key}?`,
  choices: "Cells that are not options",
  cell: "Cell",
  times: "Times",
  option: "Option",
  optionFor: (cell: string) => `Option for ${cell}`,
  open: "Choose…",
  likely: (option: string) => `Perhaps ${option}`,
  noAnswer: "No answer",
  allLikely: (values: number) => `Accept ${counted(values, "likely option")}`,
  share: (share: number) => `in ${percent(share)} of the filled cells`,
  fill: (fill: number) => `${percent(fill)} filled`,
  distinct: (values: number, exact: boolean) => `${exact ? "" : "at least "}${counted(values, "different value")}`,
  unique: "no value occurs twice",
  answers: "Answers the question",
  map: "Map this column",
  mapBlock: (columns: number) => `Map all ${columns} columns`,
  ignore: "Leave behind on purpose",
  rowKey: "What identifies a row?",
  rowKeyWhy: "The ledger recognises a row by this. It can't be changed easily after the first run.",
  content: "All cells of the row",
  contentWhy: "If a cell changes later, the row counts as a new one.",
  setKey: "Use this",
  proposals: { empty: "Cells that mean no answer", where: "Rows that are imported" },
  times_: { submissionTime: "Time of the submission", lastUpdatedAt: "Time of the last change" },
}

export const map = {
  board: "Mapping",
  yaml: "Pipeline file",
  yamlOf: (file: string) => `Text of ${file}`,
  undo: "Undo",
  redo: "Redo",
  surveying: "Reading the file and the form…",
  surveyed: (rows: number, isWhole: boolean, tool: string | undefined) =>
    `${isWhole ? "" : "First "}${counted(rows, "row")} read${isWhole ? "" : ", the rest is being read"}.${
      tool === undefined ? "" : ` An export of ${tool}.`
    }`,
  figures: "What this draft sends",
  sendable: "can be sent",
  invalid: "invalid",
  filtered: "skipped on purpose",
  unused: "columns left behind",
  open: "open questions",
  counting: "Counting…",
  counted: (rows: number) => `All ${counted(rows, "row")} counted.`,
  countedPart: (rows: number) => `First ${counted(rows, "row")} counted. The rest is being read…`,
  errors: (errors: number) => counted(errors, "error"),
  edited: "Not saved",
  save: "Save",
  toRun: "Check and run",
  conflict: "The file was changed since this page read it. Nothing was written.",
  theirs: "Show the file's text",
  keepMine: "Overwrite it with this draft",
  takeTheirs: "Discard this draft",
  problems: "Problems of rows",
  rows: "Rows",
  problem: "Problem",
  examples: "Examples",
  row: (row: number) => `Row ${count(row)}`,
}

export const preview = {
  title: "Preview",
  rows: "Rows of the preview",
  reading: "Reading…",
  previous: "Previous",
  next: "Next",
  goTo: "Row",
  states: { valid: "Can be sent", invalid: "Can't be sent", filtered: "Skipped on purpose" },
  row: (row: number, state: "valid" | "invalid" | "filtered") => `Row ${row}: ${preview.states[state]}`,
  rowNumber: (row: number) => `Row ${count(row)}`,
  key: "key",
  changed: (id: string) => `Imported before as ${id}, and changed since.`,
  question: "Question",
  source: "Source",
  sent: "Sent",
}

export const run = {
  title: "Run",
  options: "Options",
  limit: "Send at most this many new rows",
  retryRefused: "Retry rows that the service refused",
  none: "Nothing was started here yet. Past runs are under Results.",
  modes: {
    check: { title: "Check", about: "Reads the files, the form and every row. Sends nothing." },
    rehearsal: { title: "Rehearse", about: "Sends everything to a practice copy of the form on this machine." },
    "dry-run": { title: "Dry run", about: "Does everything except sending." },
    run: { title: "Run", about: "Sends the rows and reads each submission back." },
  },
  jobTitle: (mode: RecordedMode | "check", time: string) => `${modes[mode].replace(/^./, (letter) => letter.toUpperCase())} of ${time}`,
  going: "In progress",
  asking: "Waiting for you",
  stopping: "Stopping…",
  starting: "Starting…",
  willSend: (rows: number) => `${counted(rows, "row")} will be sent to`,
  permanent: "Writes to this service can't be undone.",
  canDelete: "What is sent can be taken back only with `formferry undo`, which deletes it.",
  typeName: (service: string) => `Type ${service} to confirm`,
  confirm: (rows: number) => `Send ${counted(rows, "row")}`,
  decline: "Don't send",
  spoken: (phase: string, read: number, total: number | undefined, sent: number, inDoubt: number) =>
    `${phase}: ${count(read)}${total === undefined ? "" : ` of ${count(total)}`}. ${count(sent)} sent${
      inDoubt > 0 ? `, ${count(inDoubt)} in doubt` : ""
    }.`,
  phase: (phase: string, read: number, total: number | undefined) =>
    `${phase}: ${count(read)}${total === undefined ? "" : ` of ${count(total)}`}`,
  sent: "sent",
  inDoubt: "in doubt",
  rate: (rate: number) => `${count(rate)} rows a second.`,
  left: (time: string) => `About ${time} left.`,
  pace: (limit: number, rate: number | undefined) =>
    `${rate === undefined ? "" : `${count(rate)} requests a second, of `}at most ${count(limit)}.`,
  inFlight: (requests: number, most: number) => `${count(requests)} of at most ${counted(most, "request")} in flight.`,
  throttled: (requests: number) => `${counted(requests, "request")} slowed down by the service.`,
  stop: "Stop",
  closing: "Closing this page does not stop it.",
  fine: "Nothing is wrong",
  exit: (code: number) => `Exit code ${code}`,
  toResults: "Show the results",
}

export const results = {
  summary: (mode: string, time: string) => `${mode.replace(/^./, (letter) => letter.toUpperCase())} of ${time}`,
  notSent: {
    rehearsal: "REHEARSAL: Nothing was sent to the form.",
    "dry-run": "DRY RUN: Nothing was sent.",
  },
  read: "read",
  readBack: "Read back:",
  fullReport: "Full report",
  toMap: "Map",
  toRun: "Run",
  rejected: (rows: number) => counted(rows, "rejected row"),
  rejectedHint: "Fix cells here. They are saved next to the report, and the source stays as it is.",
  fixedFile: "Fixed",
  row: "Row",
  key: "Row key",
  why: "Why",
  allCells: "All cells",
  allCellsOf: (row: string) => `All cells of row ${row}`,
  cellOf: (column: string, row: string) => `${column}, row ${row}`,
  page: (from: number, to: number, total: number) => `${count(from)} to ${count(to)} of ${count(total)}`,
  unsaved: (cells: number) => cells === 0 ? "" : `${counted(cells, "cell")} changed`,
  save: "Save the fixes",
  sendFixed: "Send the fixed rows",
  readAgain: "Read the file again",
  doubts: (rows: number) => rows === 0 ? "No row is in doubt" : `${counted(rows, "row")} in doubt`,
  doubtsWhy: "These rows were sent, and nobody knows whether they arrived. No run sends them again before they are settled.",
  choose: "Choose",
  chooseRow: (key: string) => `Choose row ${key}`,
  sentAt: "Sent",
  complete: "The export contains every submission of the form",
  dropExport: "Drop an export of the form's results here, or choose one",
  dropHint: "Each row in doubt is looked up in it.",
  testEntry: "To prove that an export is complete, enter this text in the form as a test entry before you export:",
  because: "Reason, if you decide yourself",
  landed: (rows: number) => `${counted(rows, "chosen row")} arrived`,
  notLanded: (rows: number) => `${counted(rows, "chosen row")} did not arrive`,
  settled: (landed: number, notLanded: number, left: number) =>
    `${counted(landed, "row")} arrived, ${count(notLanded)} did not, ${count(left)} still in doubt.`,
  differences: (answers: number) => counted(answers, "difference"),
  question: "Question",
  sent: "Sent",
  returned: "Returned",
  edit: "Edit",
  editIt: "Edit",
  editRow: (row: number) => `Edit the submission of row ${count(row)}`,
  history: "History",
  started: "Started",
  mode: "Mode",
  outcome: "Outcome",
}
