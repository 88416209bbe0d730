import { marked } from "./marked.ts"

/** A correct line and wrong versions of it. A `«` marks the place of the expected diagnostic. */
export const lines: ReadonlyArray<readonly [right: string, ...wrong: ReadonlyArray<string>]> = [
  ["pipeline: contacts", "«pipelin: contacts", "pipeline: «my contacts", "pipeline: «[contacts]"],
  ["source:"],
  ["  file: ../samples/contacts.csv", "  «files: ../samples/contacts.csv", "  «file:", "  file: «http://x.org/y.csv"],
  ["  format: csv", "  format: «cvs", "  «frmat: csv", "  format: «{ csv: 1 }"],
  ['  delimiter: ";"', '  delimiter: «";;"', '  «delimeter: ";"', "  delimiter: «[;]"],
  ["  headerRow: 1", "  headerRow: «0", "  headerRow: «first", "  «headerrow: 1", "  headerRow: «1.5"],
  ["  rowKey: [Customer No]", "  rowKey: «[]", "  rowKey: «Customer No", "  «row_key: [Customer No]"],
  ['  empty: [N/A, "-"]', "  empty: «N/A", "  empty: [«null, x]", "  «emtpy: [x]"],
  ["mapping:"],
  ["  questions:"],
  ["    - name: Full name", "    - «nam: Full name"],
  ["      from: Name", "      «form: Name", "      «from:", "      from: «[]"],
  ["      as: text", "      as: «txt", "      «az: text"],
  ["      maxLength: 10", "      maxLength: «ten", "      maxLength: «-1", "      «maxlength: 10", "      «zone: UTC"],
  ["    - id: abc1", "    - «ids: abc1"],
  ["      from: Born", "      from: «[Born, Died]", "      from: Born\n      «value: x"],
  ["      as: date", "      as: «Date"],
  ["      format: [dd.MM.yyyy, yyyy-MM-dd]", '      «split: ","', "      format: «{ a: b }"],
  ["      required: true", "      required: «yes", "      «requird: true", "      required: «1"],
  ["    - name: Interests"],
  ["      from: Interests"],
  ["      as: choices"],
  [
    "      values: { none: null }",
    "      values: «[none]",
    "      values: { none: «[a] }",
    "      «valuse: { none: null }",
  ],
  ["    - name: Imported from"],
  [
    "      value: legacy CRM",
    "      value: «null",
    "      «vlaue: legacy CRM",
    '      value: legacy\n      «template: "{A}"',
  ],
  [
    "  submissionTime: { from: Created, zone: UTC }",
    "  submissionTime: «Created",
    "  submissionTime: { from: Created, «zoen: UTC }",
  ],
  ["  login: { from: E-mail }", "  login: { «frm: E-mail }", "  «login: {}"],
  ["  ignore: [Internal note]", "  ignore: «Internal note", "  «ignroe: [Internal note]"],
  ["sink:"],
  ["  service: live", "  service: «a b", "  «servce: live"],
  ["  form: vso9PzRfHQus", "  «from: vso9PzRfHQus", "  form: «[a]"],
  ["  batchSize: 10", "  batchSize: «11", "  «batchsize: 10", "  batchSize: «ten"],
  [
    "  retries: { attempts: 6, base: 500 millis }",
    "  retries: { attempts: «0, base: 500 millis }",
    "  retries: { base: «500 }",
    "  retries: «6",
  ],
  ["  canary: off", "  canary: «11", "  canary: «none", "  «canery: off"],
  [
    "  stopWhen: { changed: 10%, inDoubt: 20 }",
    "  stopWhen: { changed: «10 percent }",
    "  stopWhen: { «chagned: 10% }",
    "  stopWhen: «5%",
  ],
  ["reconcile:"],
  ["  visibleWithin: 60 seconds", "  visibleWithin: «60", "  «visiblewithin: 60 seconds"],
  ["  tolerate: [{ name: Phone, because: reformatted }]", "  tolerate: [«{ name: Phone }]", "  tolerate: [«Phone]"],
]

/** Returns the file with chosen lines replaced by wrong versions. */
export const file = (choose: (index: number) => number | undefined) =>
  marked(lines.map(([right, ...wrong], index) => wrong[choose(index) ?? -1] ?? right).join("\n"))
