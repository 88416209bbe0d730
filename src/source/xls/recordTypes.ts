/** Kinds of records in a .xls workbook (MS-XLS, section 2.3, and those of older versions), as ranges of their numbers. */
const ranges =
  "0-2b 2f 31-34 3c-3e 40-45 4d 50-52 55-56 59-61 63 65-66 69-6b 6d 70 72 7d-89 8c-8d 8f-92 94-9e a0-a1 a9 ab "
  + "ae-b2 b4-b6 b8-b9 bc-c3 c5-d3 d5-da dc-e3 e5 e9-ed ef-f2 f4-f9 fb-fd ff-100 103 122 137-138 13b 13d-140 14a-14b "
  + "14d-154 15f-162 191-198 1a5 1a9-1b2 1b5-1be 1c0-1c2 200-201 203-209 20b 218 221 223 225 231 236 23e 243 27e 293 406 "
  + "409 418 41e 43c 443 4bc 800-810 812-813 850-85a 862-868 86a-86d 871-87f 881 884-890 892-89f 8a3-8a7 8c0-8cb 8d6 "
  + "1001-1003 1006-1007 1009-100d 1014-1022 1024-1027 1032-1035 103a 103c-1041 1043-1046 1048 104a-104b 104e-1051 "
  + "105b-105d 105f-1068 7262"

const numbersOf = (list: string) =>
  new Set(
    list.split(" ").flatMap((range) => {
      const [from = 0, to = from] = range.split("-").map((number) => Number.parseInt(number, 16))
      return Array.from({ length: to - from + 1 }, (_, at) => from + at)
    }),
  )

/** Those that are the workbook's own, or stand before a sheet's cells: calculation, printing, sizes of rows and columns. */
const beforeCells =
  "c-11 14-15 22 25-2b 31 40 42 55 5c 5f 7d 80-85 8c-8d 92 9c a1 da e0-e2 fc ff 13d 200 20b 225 41e 293"

const known = numbersOf(ranges)
const early = numbersOf(beforeCells)

/** Whether any workbook has records of this kind. */
export const isKnown = (type: number): boolean => known.has(type)

/** Whether records of this kind never stand behind a cell. */
export const isBeforeCells = (type: number): boolean => early.has(type)

/** Numbers of the kinds of records that are looked into. */
export const record = {
  eof: 0x0a,
  format: 0x41e,
  encrypted: 0x2f,
  continued: 0x3c,
  boundSheet: 0x85,
  mulRk: 0xbd,
  mulBlank: 0xbe,
  richLabel: 0xd6,
  xf: 0xe0,
  sharedStrings: 0xfc,
  labelSst: 0xfd,
  dimensions: 0x200,
  blank: 0x201,
  number: 0x203,
  label: 0x204,
  boolErr: 0x205,
  string: 0x207,
  row: 0x208,
  window: 0x23e,
  rk: 0x27e,
  bof: 0x809,
  xfCheck: 0x87c,
} as const

export const isFormula = (type: number): boolean => type === 0x06 || type === 0x206 || type === 0x406

/** What may stand between a formula and its text: array, table, shared formula, and their continuation. */
export const followsFormula = (type: number): boolean =>
  type === 0x21 || type === 0x221 || type === 0x36 || type === 0x236 || type === 0x4bc || type === record.continued

/** What else may stand among cells: pointers to rows, phonetic hints, a mark of what was not calculated, links, the end of formulas' changes. */
export const amongCells = (type: number): boolean =>
  type === 0xd7 || type === 0xef || type === 0x5e || type === 0x1b8 || type === 0x800 || type === 0x1c2
  || type === record.row || type === record.string || followsFormula(type)
