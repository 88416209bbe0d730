import type { QuestionState, SurveyedColumn } from "../../domain/draft.ts"
import { doneText, phases } from "../../domain/progress.ts"
import { jobWords } from "../../domain/run.ts"
import { count, counted, firstOf, percent, type Tone } from "../../domain/words.ts"
import type { Job } from "../Api.ts"

// Every text of the page, except the words that messages and reports share (src/domain).

const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" })

/** Returns an instant (ISO 8601) as the reader's clock shows it. */
export const when = (text: string): string => Number.isNaN(Date.parse(text)) ? text : clock.format(new Date(text))

export const capital = (text: string): string => text.replace(/^./, (letter) => letter.toUpperCase())

export const failures = {
  unreachable: "The studio does not answer. Check the terminal in which it was started.",
  unknown: (status: number) => `The studio answered with status ${status}.`,
  unsure: "It isn't known whether the change was made. Open this view in another tab to see.",
}

export const general = {
  error: { title: "error", tone: "bad" },
  warning: { title: "warning", tone: "warn" },
  loading: "Loading…",
  sending: "Sending the file…",
  working: "Working…",
  target: "Target",
  choose: "Choose…",
  cancel: "Cancel",
  close: "Back to the list",
  next: "Next:",
  empty: "empty",
  nothing: "none",
  unreachable: "Not reachable",
  oneFile: "No file was read: drop one file at a time.",
  unknown: (pipeline: string) => `There is no pipeline \`${pipeline}\`.`,
  more: (things: number) => `${count(things)} more are not shown.`,
  product: "formferry studio",
} as const

export const shell = {
  home: "Pipelines",
  map: "Map",
  run: "Run",
  results: "Results",
  skip: "Skip to the content",
  viewsOf: (pipeline: string) => `Views of ${pipeline}`,
  asking: (pipeline: string) => `${pipeline}: confirm the run`,
  lost: [
    "The studio can't be reached. If it ended, so did the runs that it had started: the ledger contains what was sent, and the next run continues.",
    "If only the connection was lost, these runs continue. Runs that a schedule or a terminal started are not affected.",
    "This page continues when the studio answers again. If you start the studio again, open its new link.",
  ],
  running: (pipeline: string, mode: keyof typeof jobWords) => `${pipeline}: ${jobWords[mode]} in progress`,
}

export const home = {
  create: "New pipeline",
  stored: "Stored:",
  name: "Name of the pipeline",
  service: "Service",
  form: "Form",
  go: "Create the pipeline",
  noSchedule: "Not scheduled",
  title: "Pipelines",
  demo: "This is the sample project. The practice service runs on this machine, and nothing leaves it.",
  none: "There is no pipeline yet. Start with a file below.",
  next: (time: string) => `Next run: ${time}`,
  bar: (time: string, mode: string, sent: number | undefined, outcome: string) =>
    `${time}: ${mode}, ${sent === undefined ? "" : `${counted(sent, "row")} sent, `}${outcome}`,
  bars: (runs: ReadonlyArray<string>) => `The last runs. ${runs.join(". ")}`,
  making: (pipeline: string) => `${pipeline}: reading the file`,
  notMade: (pipeline: string) => `${pipeline} was not created`,
  cancelled: "Cancelled.",
  reading: (rows: number) => `Reading the file: ${counted(rows, "row")} so far.`,
  drop: "Drop a file with answers here, or choose one",
  hint: "CSV, Excel, JSON, or an export of a form tool. It is stored in the project's folder.",
}

const unmatchedCells = (cells: number) =>
  cells === 1 ? "1 cell is not an option" : `${count(cells)} cells are not options`

export const board = {
  label: "Columns and questions",
  columnList: "Columns",
  questionList: "Questions",
  search: "Search",
  onlyOpen: "Only what is open",
  keys: "Arrow keys, Home and End move between the items. Left and Right move between an item's buttons.",
  columns: (columns: number) => counted(columns, "column"),
  questions: (questions: number) => counted(questions, "question"),
  states: {
    mapped: { title: "Mapped", tone: "good" },
    redirected: { title: "Gets texts", tone: "good" },
    unanswered: { title: "Left unanswered", tone: "calm" },
    open: { title: "Open", tone: "warn" },
    missing: { title: "Not mapped", tone: "warn" },
  } satisfies Readonly<Record<QuestionState["state"], { title: string; tone: Tone }>>,
  unmatched: unmatchedCells,
  suggested: (confidence: number) => `Suggested, ${percent(confidence)}`,
  filled: (fill: number) => `${percent(fill)} filled`,
  traps: (traps: number) => counted(traps, "possible problem"),
  unused: "left behind",
  perhaps: (columns: string) => `perhaps ${columns}`,
  accept: (question: string) => `Accept the suggestion for ${question}`,
  reject: (question: string) => `Reject the suggestion for ${question}`,
  leave: (question: string) => `Leave ${question} unanswered on purpose`,
  fold: (block: string, columns: number) =>
    columns > 1 ? `${columns} columns of ${block}: show each` : `Fold the columns of ${block}`,
}

export const detail = {
  answers: "Answers the question",
  ignore: "Leave behind on purpose",
  setKey: "Use as the row key",
  useTime: "Use as the time",
  answer: "Answer",
  answeredBy: "Answered by",
  other: "Other columns",
  times: "Times",
  option: "Option",
  noAnswer: "No answer",
  unmap: "Remove the entry",
  accept: "Accept",
  reject: "Reject",
  use: "Use this",
  leave: "Leave unanswered on purpose",
  openTitle: "What is open",
  unmatched: unmatchedCells,
  redirected: (from: string) =>
    `Gets the texts of ${from} that are not options. To answer it from a column, remove that \`textTo\` in the text.`,
  nothingOpen: "Nothing is open. Check the preview, then save.",
  openQuestions: (open: number) => counted(open, "open question"),
  line: (line: number) => `Show line ${line} of the text`,
  inText:
    "`required`, `values` of a question without options, a condition or a template: add them to the entry in the text.",
  join: "Join with another column",
  options: (options: ReadonlyArray<string>) => `Options: ${firstOf(options, 50)}`,
  block: (title: string, columns: number) => `${title} (all ${columns} columns)`,
  ask: (key: string) => key === "format" ? "Which reading is correct?" : `Which ${key}?`,
  choices: "Cells that are not options",
  moreChoices: "The file has more different cells than are listed.",
  cell: "Cell",
  optionFor: (cell: string) => `Option for ${cell}`,
  likely: (option: string) => `Perhaps ${option}`,
  allLikely: (values: number) => `Accept ${counted(values, "likely option")}`,
  facts: ({ distinct, fill, kind, share, unique }: SurveyedColumn) =>
    `${capital(kind)} in ${percent(share)} of the filled cells · ${percent(fill)} filled · ${
      distinct.exact ? "" : "at least "
    }${counted(distinct.count, "different value")}${unique === true ? " · no value occurs twice" : ""}`,
  rowKey: "What identifies a row?",
  rowKeyWhy: "The ledger recognises a row by this. It is difficult to change after the first run.",
  content: "All cells of the row",
  contentWhy: "If a cell changes later, the row counts as a new one.",
  proposals: { empty: "Cells that mean no answer", where: "Rows that are imported" },
  submissionTime: "Time of the submission",
  lastUpdatedAt: "Time of the last change",
}

const plural = (one: string, many: string) => (count: number | undefined) => count === 1 ? one : many
export const map = {
  undo: "Undo",
  redo: "Redo",
  edited: "Not saved",
  save: "Save",
  toRun: "Check and run",
  board: "Mapping",
  diagnostics: "Mistakes and warnings",
  unused: plural("column left behind", "columns left behind"),
  unusedCells: plural("cell left behind", "cells left behind"),
  sendable: "would be sent",
  open: plural("open question", "open questions"),
  yamlOf: (file: string) => `Text of ${file}`,
  surveying: "Reading the file and the form…",
  unsurveyed: "The file and the form could not be read.",
  surveyed: (rows: number, isWhole: boolean, tool: string | undefined) =>
    `${isWhole ? counted(rows, "row") : `The first ${counted(rows, "row")}. The rest is being read.`}${
      tool === undefined ? "" : ` · an export of ${tool}`
    }`,
  figures: "What this draft sends",
  oldFigures: "These figures are those of the last text that could be counted.",
  counting: "Counting…",
  counted: (rows: number, isWhole: boolean, to?: string) =>
    `${isWhole ? "The whole source was counted" : "The source is being counted"}${
      to === undefined ? "" : ` for the target ${to}`
    }: ${counted(rows, "row")}${isWhole ? "." : " so far."}`,
  errors: (errors: number) => counted(errors, "error"),
  theirs: "Show the file's text",
  keepMine: "Overwrite it with this draft",
  takeTheirs: "Discard this draft",
}

export const preview = {
  title: "Preview",
  rows: "Rows of the preview",
  previousRows: "Previous rows",
  nextRows: "Next rows",
  goTo: "Row",
  problems: (isWhole: boolean) => isWhole ? "Problems of all rows" : "Problems of the first rows",
  question: "Question",
  source: "Source",
  sent: "Sent",
  valid: { title: "Valid", tone: "good" },
  row: (row: number, state?: string) => `Row ${count(row)}${state === undefined ? "" : `: ${state}`}`,
  old: "The preview could not be updated. These rows show the last text that could be read.",
  none: "There is no preview yet, because the text has errors.",
  changed: (id: string) => `Imported before as ${id}, with different answers:`,
} as const

export const run = {
  title: "Run",
  sent: "sent",
  readBack: "Read back",
  toResults: "Show the results",
  stop: "Stop",
  running: "In progress",
  asking: "Waiting for you",
  stopping: "Stopping…",
  starting: "Starting…",
  unsaved: "The mapping has changes that are not saved. What you start here uses the saved file.",
  none: "Nothing has been started here yet. Past runs are under Results.",
  modes: {
    check: { title: "Check", about: "Reads the files, the form and every row. Sends nothing." },
    rehearsal: { title: "Rehearse", about: "Sends everything to a practice copy of the form on this machine." },
    "dry-run": { title: "Dry run", about: "Reads, maps and checks every row and writes the report. Sends nothing." },
    run: { title: "Run", about: "Sends the rows and reads each submission back." },
  } satisfies Readonly<Record<Job["mode"], object>>,
  jobTitle: (mode: string, time: string, isFixed: boolean, to = "") =>
    `${mode}${isFixed ? " of fixed rows" : ""}${to === "" ? "" : ` to ${to}`}: ${time}`,
  willSend: (rows: number, form: string, id: string) => `${counted(rows, "row")} will be sent to ${form} (${id}).`,
  waits: "Without an answer within 10 minutes, nothing is sent.",
  decline: "Don't send",
  typeName: (service: string) => `Type ${service} to confirm`,
  confirm: (rows: number) => `Send ${counted(rows, "row")}`,
  phase: (at: Parameters<typeof doneText>[0]) => `${capital(phases[at.phase].title)}: ${doneText(at)}`,
  spoken: (sent: number, inDoubt: number) => `${count(sent)} sent${inDoubt > 0 ? `, ${count(inDoubt)} in doubt` : ""}.`,
  pace: (limit: number, rate = 0) =>
    `${count(Math.round(rate * 10) / 10)} requests a second, of at most ${count(limit)}.`,
  inFlight: (requests: number, most: number | undefined) =>
    `${most === undefined ? "" : `${count(requests)} of at most `}${counted(most ?? requests, "request")} in flight.`,
  throttled: (requests: number) => `${counted(requests, "request")} slowed down by the service.`,
  closing: "Closing this page does not stop it.",
  exit: (code: number) => `Exit code ${code}`,
}

export const results = {
  save: "Save the fixes",
  sendFixed: "Send the fixed rows",
  fixedFile: "Fixed",
  show: "Show",
  allCells: "All cells",
  showMore: "Show more rows",
  history: "History",
  row: "Row",
  key: "Row key",
  why: "Why",
  question: "Question",
  sent: "Sent",
  returned: "Returned",
  started: "Started",
  mode: "Mode",
  form: "Form",
  outcome: "Outcome",
  read: "read",
  edit: "Edit",
  summary: (mode: string, time: string) => `${capital(mode)} of ${time}`,
  readBack: "Read back",
  fullReport: "Full report",
  rejected: (rows: number) => counted(rows, "rejected row"),
  rejectedHint: "Fix cells here. They are saved next to the report, and the source stays as it is.",
  sentFixed: "A fixed row was sent for it.",
  allCellsOf: (row: string) => `Show all cells of row ${row}`,
  beyond: "More cells than the header has, which are removed if you change the row:",
  cellsOfRow: (row: string) => `All cells of row ${row}`,
  cellOf: (column: string, row: string) => `${column}, row ${row}`,
  unsaved: (cells: number) => cells === 0 ? "" : `${counted(cells, "cell")} changed`,
  readAgain: "Read the file again",
  doubts: (rows: number) => rows === 0 ? "No row is in doubt" : `${counted(rows, "row")} in doubt`,
  doubtsWhy:
    "These rows were sent with an unknown outcome. Unless the pipeline has `inDoubt: resend`, no run sends them again before they are settled.",
  complete: "The export contains every submission of the form",
  because: "How you know that (it is recorded)",
  dropExport: "Drop an export of the form's results here, or choose one",
  dropHint: "Each row in doubt is looked up in it.",
  differences: (answers: number) => counted(answers, "difference"),
  editRow: (row: number) => `Edit the submission of row ${count(row)}`,
}
