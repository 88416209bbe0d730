import { modeWords } from "../../domain/run.ts"
import { count, counted, lasting } from "../../domain/words.ts"
import type { SurveyedColumn } from "../Api.ts"

// Every text of the page, except the words that messages and reports share (src/domain).

const clock = (timeStyle: "short" | "medium") => new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle })
const [minute, second] = [clock("short"), clock("medium")]

/** Returns an instant (ISO 8601) as the reader's clock shows it. */
export const when = (text: string, isExact = false): string =>
  Number.isNaN(Date.parse(text)) ? text : (isExact ? second : minute).format(new Date(text))

/** Returns a share from 0 to 1 in percent. Only a whole is 100%. */
export const percent = (share: number): string => `${share === 1 ? 100 : Math.min(99, Math.round(share * 100))}%`

const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

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
  next: "Next:",
  error: "error",
  warning: "warning",
}

export const shell = {
  home: "Pipelines",
  map: "Map",
  run: "Run",
  results: "Results",
  skip: "Skip to the content",
  viewsOf: (pipeline: string) => `Views of ${pipeline}`,
  asking: (pipeline: string) => `${pipeline}: confirm the run`,
  going: (pipeline: string, mode: keyof typeof modeWords | "check") =>
    `${pipeline}: ${mode === "check" ? mode : modeWords[mode]} in progress`,
}

export const home = {
  title: "Pipelines",
  demo: "This is the sample project. The practice service runs on this machine, and nothing leaves it.",
  none: "There is no pipeline yet. Start with a file below.",
  going: "In progress",
  never: "Never ran",
  unfinished: "Not finished",
  noSchedule: "Not scheduled",
  next: (time: string) => `Next run: ${time}`,
  notBegun: (time: string) => `The run that was due on ${time} failed before it started.`,
  bar: (time: string, mode: string, sent: number | undefined, outcome: string) =>
    `${time}: ${mode}, ${sent === undefined ? "" : `${counted(sent, "row")} sent, `}${outcome}`,
  bars: (runs: ReadonlyArray<string>) => `The last runs. ${runs.join(". ")}`,
  create: "New pipeline",
  drop: "Drop a file with answers here, or choose one",
  hint: "CSV, Excel, JSON, or an export of a form tool. It is stored in the project's folder.",
  stored: "Stored:",
  name: "Name of the pipeline",
  service: "Service",
  form: "Form",
  labels: "Definition of the form, if its tool exported one",
  go: "Create the pipeline",
}

export const board = {
  label: "Columns and questions",
  columnList: "Columns",
  questionList: "Questions",
  search: "Search",
  onlyOpen: "Only what is open",
  columns: (columns: number) => counted(columns, "column"),
  questions: (questions: number) => counted(questions, "question"),
  states: { mapped: "Mapped", unanswered: "Left unanswered", open: "Open", missing: "Not mapped" },
  suggested: (confidence: number) => `Suggested, ${percent(confidence)}`,
  filled: (fill: number) => `${percent(fill)} filled`,
  traps: (traps: number) => counted(traps, "possible problem"),
  unused: "left behind",
  required: "Required",
  perhaps: (columns: string) => `perhaps ${columns}`,
  accept: (question: string) => `Accept the suggestion for ${question}`,
  reject: (question: string) => `Reject the suggestion for ${question}`,
  fold: (block: string, columns: number) =>
    columns > 1 ? `${columns} columns of ${block}: show each` : `Fold the columns of ${block}`,
}

export const detail = {
  openTitle: "What is open",
  nothingOpen: "Nothing is open. Check the preview, then save.",
  openQuestions: (open: number) => counted(open, "open question"),
  line: (line: number) => `line ${line}`,
  options: (options: ReadonlyArray<string>) => `Options: ${options.join(" · ")}`,
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
  likely: (option: string) => `Perhaps ${option}`,
  noAnswer: "No answer",
  allLikely: (values: number) => `Accept ${counted(values, "likely option")}`,
  facts: ({ distinct, fill, kind, share, unique }: SurveyedColumn) =>
    `${capital(kind)} in ${percent(share)} of the filled cells · ${percent(fill)} filled · ${
      distinct.exact ? "" : "at least "
    }${counted(distinct.count, "different value")}${unique === true ? " · no value occurs twice" : ""}`,
  answers: "Answers the question",
  map: "Map this column",
  mapBlock: (columns: number) => `Map all ${columns} columns`,
  ignore: "Leave behind on purpose",
  rowKey: "What identifies a row?",
  rowKeyWhy: "The ledger recognises a row by this. It is difficult to change after the first run.",
  content: "All cells of the row",
  contentWhy: "If a cell changes later, the row counts as a new one.",
  setKey: "Use as the row key",
  proposals: { empty: "Cells that mean no answer", where: "Rows that are imported" },
  submissionTime: "Time of the submission",
  lastUpdatedAt: "Time of the last change",
  useTime: "Use as the time",
}

export const map = {
  board: "Mapping",
  yaml: "Pipeline file",
  yamlOf: (file: string) => `Text of ${file}`,
  undo: "Undo",
  redo: "Redo",
  surveying: "Reading the file and the form…",
  surveyed: (rows: number, isWhole: boolean, tool: string | undefined) =>
    `${isWhole ? counted(rows, "row") : `The first ${counted(rows, "row")}. The rest is being read.`}${
      tool === undefined ? "" : ` · an export of ${tool}`
    }`,
  figures: "What this draft sends",
  sendable: "can be sent",
  invalid: "invalid",
  filtered: "skipped on purpose",
  unused: "columns left behind",
  open: "open questions",
  counting: "Counting…",
  counted: (rows: number, isWhole: boolean) =>
    isWhole ? `All ${counted(rows, "row")} counted.` : `First ${counted(rows, "row")} counted. The rest is being read…`,
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
  previousRows: "Previous rows",
  nextRows: "Next rows",
  goTo: "Row",
  states: {
    valid: { title: "Can be sent", tone: "good" },
    invalid: { title: "Can't be sent", tone: "warn" },
    filtered: { title: "Skipped on purpose", tone: "calm" },
  },
  row: (row: number, state?: string) => `Row ${count(row)}${state === undefined ? "" : `: ${state}`}`,
  key: "key",
  changed: (id: string) => `Imported before as ${id}, and changed since.`,
  question: "Question",
  source: "Source",
  sent: "Sent",
} as const

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
  jobTitle: (mode: string, time: string) => `${mode}: ${time}`,
  going: "In progress",
  asking: "Waiting for you",
  stopping: "Stopping…",
  starting: "Starting…",
  willSend: (rows: number) => `${counted(rows, "row")} will be sent to`,
  permanent: "Writes to this service can't be undone.",
  canDelete: "What is sent can be taken back only with formferry undo, which deletes it.",
  typeName: (service: string) => `Type ${service} to confirm`,
  confirm: (rows: number) => `Send ${counted(rows, "row")}`,
  decline: "Don't send",
  phase: (phase: string, read: number, total: number | undefined) =>
    `${capital(phase)}: ${count(read)}${total === undefined ? "" : ` of ${count(total)}`}`,
  spoken: (sent: number, inDoubt: number) => `${count(sent)} sent${inDoubt > 0 ? `, ${count(inDoubt)} in doubt` : ""}.`,
  sent: "sent",
  readBack: "Read back",
  rate: (rate: number) => `${count(Math.round(rate))} rows a second.`,
  left: (millis: number) => `About ${lasting(Math.max(1000, millis))} left.`,
  pace: (limit: number, rate = 0) =>
    `${count(Math.round(rate * 10) / 10)} requests a second, of at most ${count(limit)}.`,
  inFlight: (requests: number, most: number | undefined) =>
    `${most === undefined ? "" : `${count(requests)} of at most `}${counted(most ?? requests, "request")} in flight.`,
  throttled: (requests: number) => `${counted(requests, "request")} slowed down by the service.`,
  stop: "Stop",
  closing: "Closing this page does not stop it.",
  fine: "Nothing is wrong",
  exit: (code: string) => `Exit code ${code}`,
  toResults: "Show the results",
}

export const results = {
  summary: (mode: string, time: string) => `${capital(mode)} of ${time}`,
  notSent: { rehearsal: "REHEARSAL: Nothing was sent to the form.", "dry-run": "DRY RUN: Nothing was sent." },
  read: "read",
  readBack: "Read back",
  fullReport: "Full report",
  rejected: (rows: number) => counted(rows, "rejected row"),
  rejectedHint: "Fix cells here. They are saved next to the report, and the source stays as it is.",
  fixedFile: "Fixed",
  row: "Row",
  key: "Row key",
  why: "Why",
  show: "Show",
  allCells: "All cells",
  allCellsOf: (row: string) => `Show all cells of row ${row}`,
  cellOf: (column: string, row: string) => `${column}, row ${row}`,
  previous: "Previous",
  next: "Next",
  page: (from: number, to: number, total: number) => `${count(from)} to ${count(to)} of ${count(total)}`,
  unsaved: (cells: number) => cells === 0 ? "" : `${counted(cells, "cell")} changed`,
  save: "Save the fixes",
  sendFixed: "Send the fixed rows",
  readAgain: "Read the file again",
  doubts: (rows: number) => rows === 0 ? "No row is in doubt" : `${counted(rows, "row")} in doubt`,
  doubtsWhy: "These rows were sent with an unknown outcome. No run sends them again before they are settled.",
  choose: "Choose",
  chooseRow: (row: number) => `Row ${count(row)}`,
  sentAt: "Sent",
  complete: "The export contains every submission of the form",
  dropExport: "Drop an export of the form's results here, or choose one",
  dropHint: "Each row in doubt is looked up in it.",
  testEntry: "To prove that an export is complete, enter this text in the form as a test entry before you export:",
  because: "Reason, if you decide manually",
  landed: (rows: number) => `${counted(rows, "chosen row")} arrived`,
  notLanded: (rows: number) => `${counted(rows, "chosen row")} did not arrive`,
  settled: (landed: number, notLanded: number, left: number) =>
    `${counted(landed, "row")} arrived, ${count(notLanded)} did not, ${count(left)} still in doubt.`,
  differences: (answers: number) => counted(answers, "difference"),
  question: "Question",
  sent: "Sent",
  returned: "Returned",
  edit: "Edit",
  editRow: (row: number) => `Edit the submission of row ${count(row)}`,
  history: "History",
  started: "Started",
  mode: "Mode",
  outcome: "Outcome",
}
