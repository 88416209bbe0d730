// Writes exports as twelve form tools do, with their own columns, header rows, cells and blocks.
import type { Draws } from "../../faults/Draws.ts"
import { type Field, otherWords } from "./fields.ts"
import {
  type Dialect,
  gridRows,
  hex,
  idOf,
  localDate,
  lower,
  mixed,
  otherText,
  own,
  plainSpeech,
  type Sheet,
  type SheetColumn,
  type Speech,
  ticks,
  whole,
  wordsFor,
} from "./sheet.ts"
import type { Language } from "./topics.ts"

interface Writing {
  readonly draws: Draws
  readonly language: Language
  readonly fields: ReadonlyArray<Field>
  readonly responses: number
}

/** A layout in which a tool writes exports. */
export interface Style {
  readonly tool: string
  /** The name in figures: the tool and the layout. */
  readonly name: string
  /** Whether headers are technical names. */
  readonly isTechnical: boolean
  /** What cells contain for an option. A `number` does not show which option it means. */
  readonly writes: "label" | "code" | "number"
  readonly hasGrids: boolean
  /** Whether the text of the Other option has a separate column. */
  readonly hasOtherColumn: boolean
  readonly write: (writing: Writing) => Sheet
}

const csv = (file: string, more: Partial<Dialect> = {}): Dialect => ({
  file: `${file}.csv`,
  delimiter: ",",
  newline: "\n",
  mark: false,
  quoteAll: false,
  finalNewline: true,
  ...more,
})

const two = (value: number) => String(value).padStart(2, "0")

/** Draws the times at which responses arrived, in order. */
const arrivals = (draws: Draws, responses: number): ReadonlyArray<Date> => {
  let at = Date.UTC(draws.int(2019, 2025), draws.int(0, 11), draws.int(1, 28), draws.int(6, 20), 3, 11)
  return Array.from({ length: responses }, () => new Date(at += draws.int(90, 90_000) * 1000))
}

const stamp = (date: Date | undefined): string => (date ?? new Date(0)).toISOString().slice(0, 19).replace("T", " ")

const american = (date: Date | undefined): string => {
  const [day = "", time = ""] = stamp(date).split(" ")
  const [year = "", month = "", of = ""] = day.split("-")
  return `${Number(month)}/${Number(of)}/${year} ${time}`
}

const minutesLater = (date: Date | undefined, minutes: number) => new Date((date?.getTime() ?? 0) + minutes * 60_000)

/** Returns the code of an option: the author's code, or the option's number. */
const coded = (writes: Style["writes"], prefix = ""): Speech["option"] => (field, option) =>
  writes === "number" ? `${prefix}${option + 1}` : field.options[option]?.code ?? ""

const labelOf = (field: Field) => (option: number): string => field.options[option]?.label ?? ""
const codeOf = (field: Field) => (option: number): string => field.options[option]?.code ?? ""

const isSeveral = ({ kind }: Field) => kind === "choices"

const typeform: Style = {
  tool: "typeform",
  name: "typeform",
  isTechnical: false,
  writes: "label",
  hasGrids: false,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const isOld = draws.chance(0.3)
    const isBold = draws.chance(0.3)
    const speech: Speech = {
      ...plainSpeech(language),
      yes: "1",
      no: "0",
      date: (year, month, day) => `${year}-${month}-${day}${isOld ? "" : "T00:00:00.000Z"}`,
      phone: (text) => text.startsWith("+") ? `'${text}` : text,
      option: (field, option) => option === field.other ? "" : field.options[option]?.label ?? "",
    }
    const titled = ({ title }: Field) => isBold && draws.chance(0.2) ? title.replace(/(\p{L}{5,})/u, "*$1*") : title
    const columns = fields.flatMap((field): ReadonlyArray<SheetColumn> => [
      ...(isSeveral(field)
        ? ticks(field, { name: labelOf(field), heads: (name) => [name], ticked: (name) => name, withOther: false })
        : [whole(field, [titled(field)], speech)]),
      ...otherText(field, ["Other"]),
    ])
    return {
      headerRows: 1,
      speech,
      dialect: csv("responses"),
      columns: [
        own("#", responses, () => idOf(draws, isOld ? hex : lower, 32)),
        ...columns,
        ...(isOld ? [] : [own("Response Type", responses, () => "completed")]),
        own("Start Date (UTC)", responses, (at) => stamp(minutesLater(times[at], -4))),
        ...(isOld ? [] : [own("Stage Date (UTC)", responses, () => "")]),
        own("Submit Date (UTC)", responses, (at) => stamp(times[at])),
        own("Network ID", responses, () => idOf(draws, hex, 10)),
        ...(isOld ? [] : [own("Tags", responses, () => "")]),
      ],
    }
  },
}

const timestamps: Readonly<Record<Language, string>> = {
  en: "Timestamp",
  de: "Zeitstempel",
  fr: "Horodateur",
  es: "Marca temporal",
  pt: "Carimbo de data/hora",
}

const googleForms: Style = {
  tool: "google-forms",
  name: "google-forms",
  isTechnical: false,
  writes: "label",
  hasGrids: true,
  hasOtherColumn: false,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const isBook = draws.chance(0.3)
    const plain = plainSpeech(language)
    const speech: Speech = {
      ...plain,
      date: isBook ? plain.date : localDate(language),
      time: (hours, minutes) =>
        language === "en"
          ? `${hours % 12 || 12}:${minutes}:00 ${hours < 12 ? "AM" : "PM"}`
          : `${two(hours)}:${minutes}:00`,
      number: (text) => isBook || language === "en" ? text : text.replace(".", ","),
      otherInCell: true,
    }
    const columns = fields.flatMap((field) => {
      const title = draws.chance(0.1) ? `${field.title} ` : field.title
      return field.kind === "grid"
        ? gridRows(field, (row) => [`${title.trim()} [${field.rows[row] ?? ""}]`], speech)
        : [whole(field, [title], speech)]
    })
    const first = draws.chance(0.5) ? timestamps[language] : "Timestamp"
    const hasMail = draws.chance(0.3) && fields.every(({ kind }) => kind !== "email")
    return {
      headerRows: 1,
      speech,
      dialect: isBook
        ? { file: "Form (Responses).xlsx", sheet: "Form Responses 1" }
        : csv("Form (Responses)", { newline: "\r\n", finalNewline: false }),
      columns: [
        own(first, responses, (at) => {
          if (isBook) return stamp(times[at])
          const [day = "", time = ""] = stamp(times[at]).split(" ")
          const [year = "", month = "", of = ""] = day.split("-")
          return `${localDate(language)(year, month, of)} ${time}`
        }),
        ...(hasMail ? [own("Email Address", responses, (at) => `person${at}@example.org`)] : []),
        ...columns,
      ],
    }
  },
}

const microsoftForms: Style = {
  tool: "microsoft-forms",
  name: "microsoft-forms",
  isTechnical: false,
  writes: "label",
  hasGrids: false,
  hasOtherColumn: false,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const isBook = draws.chance(0.7)
    const plain = plainSpeech(language)
    const speech: Speech = {
      ...plain,
      join: { between: ";", after: ";" },
      date: isBook ? plain.date : localDate("en"),
      otherInCell: true,
    }
    const time = (date: Date | undefined) => isBook ? stamp(date) : american(date)
    const [id, start, end, mail, name] = language === "es" && draws.chance(0.5)
      ? ["Id", "Hora de inicio", "Hora de finalización", "Correo electrónico", "Nombre"]
      : [draws.pick(["ID", "Id"]), "Start time", "Completion time", "Email", "Name"]
    const taken = new Set([id, start, end, mail, name].map((title) => title?.toLowerCase()))
    return {
      headerRows: 1,
      speech,
      dialect: isBook
        ? { file: "Form(1-50).xlsx", sheet: "Sheet1" }
        : csv("Form(1-50)", { mark: true, newline: "\r\n" }),
      columns: [
        own(id ?? "", responses, (at) => String(at + 1)),
        own(start ?? "", responses, (at) => time(minutesLater(times[at], -6))),
        own(end ?? "", responses, (at) => time(times[at])),
        own(mail ?? "", responses, () => "anonymous"),
        own(name ?? "", responses, () => ""),
        // A table can't have two columns with the same title.
        ...fields.map((field) =>
          whole(field, [taken.has(field.title.toLowerCase()) ? `${field.title}2` : field.title], speech)
        ),
      ],
    }
  },
}

const jotform: Style = {
  tool: "jotform",
  name: "jotform",
  isTechnical: false,
  writes: "label",
  hasGrids: true,
  hasOtherColumn: false,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const speech: Speech = { ...plainSpeech(language), join: { between: "\n", after: "" }, otherInCell: true }
    return {
      headerRows: 1,
      speech,
      dialect: csv("Jotform", { mark: true }),
      columns: [
        own("Submission Date", responses, (at) => stamp(times[at])),
        ...fields.flatMap((field) =>
          field.kind === "grid"
            ? gridRows(field, (row) => [`${field.title} >> ${field.rows[row] ?? ""}`], speech)
            : [whole(field, [field.title], speech)]
        ),
      ],
    }
  },
}

const surveyMonkey: Style = {
  tool: "surveymonkey",
  name: "surveymonkey",
  isTechnical: false,
  writes: "label",
  hasGrids: true,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const other = "Other (please specify)"
    const speech: Speech = {
      ...plainSpeech(language),
      date: (year, month, day) => `${month}/${day}/${year}`,
      option: (field, option) => option === field.other ? other : field.options[option]?.label ?? "",
    }
    // A block's title is only above its first column.
    const underTitle = (title: string, columns: ReadonlyArray<SheetColumn>) =>
      columns.map((column, at) => ({ ...column, heads: [at === 0 ? title : "", column.heads[0] ?? ""] }))
    const columns = fields.flatMap((field): ReadonlyArray<SheetColumn> => {
      const title = draws.chance(0.08) ? `<strong>${field.title}</strong>` : field.title
      return underTitle(title, [
        ...(field.kind === "grid"
          ? gridRows(field, (row) => [field.rows[row] ?? ""], speech)
          : isSeveral(field)
          ? ticks(field, { name: labelOf(field), heads: (name) => [name], ticked: (name) => name, withOther: false })
          : [
            whole(
              field,
              [draws.chance(field.kind === "longText" ? 0.5 : 0) ? "Open-Ended Response" : "Response"],
              speech,
            ),
          ]),
        ...otherText(field, [other]),
      ])
    })
    const start = american
    return {
      headerRows: 2,
      speech,
      dialect: csv("Survey"),
      columns: [
        own(["Respondent ID", ""], responses, (at) => String(10_900_000_000 + at * 7919)),
        own(["Collector ID", ""], responses, () => "400561723"),
        own(["Start Date", ""], responses, (at) => start(times[at])),
        own(["End Date", ""], responses, (at) => start(minutesLater(times[at], 5))),
        own(["IP Address", ""], responses, (at) => `192.0.2.${at + 1}`),
        own(["Email Address", ""], responses, () => ""),
        own(["First Name", ""], responses, () => ""),
        own(["Last Name", ""], responses, () => ""),
        own(["Custom Data 1", ""], responses, () => ""),
        ...columns,
      ],
    }
  },
}

const qualtrics = (writes: "label" | "number"): Style => ({
  tool: "qualtrics",
  name: writes === "label" ? "qualtrics" : "qualtrics numbers",
  isTechnical: false,
  writes,
  hasGrids: true,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const isSplit = draws.chance(0.5)
    const hasTags = draws.chance(0.4)
    const plain = plainSpeech(language)
    const [yes, no] = writes === "label" ? wordsFor(language) : ["1", "2"]
    const speech: Speech = {
      ...plain,
      yes,
      no,
      join: { between: ",", after: "" },
      date: (year, month, day) => `${month}/${day}/${year}`,
      option: writes === "label" ? plain.option : coded("number"),
    }
    const imported = (id: string, choice?: number) =>
      JSON.stringify(choice === undefined ? { ImportId: id } : { ImportId: id, choiceId: String(choice) })
    const columns = fields.flatMap((field, index): ReadonlyArray<SheetColumn> => {
      const name = hasTags ? field.name : `Q${index + 1}`
      const id = `QID${index + 1}`
      const label = labelOf(field)
      const texts = otherText(field, [
        `${name}_${field.options.length}_TEXT`,
        `${field.title} - ${label(field.other ?? 0)} - Text`,
        imported(`${id}_${field.options.length}_TEXT`),
      ])
      if (field.kind === "grid") {
        return gridRows(field, (row) => [
          `${name}_${row + 1}`,
          `${field.title} - ${field.rows[row] ?? ""}`,
          imported(`${id}_${row + 1}`),
        ], speech)
      }
      if (isSplit && isSeveral(field)) {
        return [
          ...ticks(field, {
            name: label,
            heads: (option, at) => [`${name}_${at + 1}`, `${field.title} - ${option}`, imported(id, at + 1)],
            ticked: writes === "label" ? (option) => option : "1",
          }),
          ...texts,
        ]
      }
      const title = field.other === undefined ? field.title : `${field.title} - Selected Choice`
      return [whole(field, [name, title, imported(id)], speech), ...texts]
    })
    const meta = (name: string, title: string, id: string, cell: (at: number) => string) =>
      own([name, title, imported(id)], responses, cell)
    const finished = writes === "label" ? "True" : "1"
    return {
      headerRows: 3,
      speech,
      dialect: csv("Survey_Data"),
      columns: [
        meta("StartDate", "Start Date", "startDate", (at) => stamp(times[at])),
        meta("EndDate", "End Date", "endDate", (at) => stamp(minutesLater(times[at], 7))),
        meta("Status", "Response Type", "status", () => writes === "label" ? "IP Address" : "0"),
        meta("IPAddress", "IP Address", "ipAddress", (at) => `198.51.100.${at + 1}`),
        meta("Progress", "Progress", "progress", () => "100"),
        meta("Duration (in seconds)", "Duration (in seconds)", "duration", () => String(draws.int(60, 900))),
        meta("Finished", "Finished", "finished", () => finished),
        meta("RecordedDate", "Recorded Date", "recordedDate", (at) => stamp(minutesLater(times[at], 7))),
        meta("ResponseId", "Response ID", "_recordId", () => `R_${idOf(draws, mixed, 15)}`),
        meta("RecipientLastName", "Recipient Last Name", "recipientLastName", () => ""),
        meta("RecipientFirstName", "Recipient First Name", "recipientFirstName", () => ""),
        meta("RecipientEmail", "Recipient Email", "recipientEmail", () => ""),
        meta("ExternalReference", "External Data Reference", "externalDataReference", () => ""),
        meta("DistributionChannel", "Distribution Channel", "distributionChannel", () => "anonymous"),
        meta("UserLanguage", "User Language", "userLanguage", () => language.toUpperCase()),
        ...columns,
      ],
    }
  },
})

const tally: Style = {
  tool: "tally",
  name: "tally",
  isTechnical: false,
  writes: "label",
  hasGrids: false,
  hasOtherColumn: false,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const speech: Speech = { ...plainSpeech(language), otherInCell: true }
    return {
      headerRows: 1,
      speech,
      dialect: csv("Form_Submissions_2025-01-31", { quoteAll: true }),
      columns: [
        own("Submission ID", responses, () => idOf(draws, mixed, 6)),
        own("Respondent ID", responses, () => idOf(draws, mixed, 6)),
        own("Submitted at", responses, (at) => stamp(times[at])),
        ...fields.map((field) => whole(field, [field.title], speech)),
      ],
    }
  },
}

const limeSurvey = (isCodes: boolean): Style => ({
  tool: "limesurvey",
  name: isCodes ? "limesurvey codes" : "limesurvey texts",
  isTechnical: isCodes,
  writes: isCodes ? "code" : "label",
  hasGrids: true,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const plain = plainSpeech(language)
    const speech: Speech = {
      ...plain,
      yes: isCodes ? "Y" : wordsFor(language)[0],
      no: isCodes ? "N" : wordsFor(language)[1],
      date: (year, month, day) => `${year}-${month}-${day} 00:00:00`,
      option: (field, option) =>
        option === field.other
          ? (isCodes ? "-oth-" : "Other")
          : isCodes
          ? coded("code")(field, option)
          : plain.option(field, option),
    }
    const columns = fields.flatMap((field): ReadonlyArray<SheetColumn> => {
      const title = isCodes ? field.name : field.title
      const texts = otherText(field, [`${title}${isCodes ? "" : " "}[${isCodes ? "other" : "Other"}]`])
      const gap = isCodes ? "" : " "
      if (field.kind === "grid") {
        return gridRows(
          field,
          (row) => [`${title}${gap}[${isCodes ? `SQ00${row + 1}` : field.rows[row] ?? ""}]`],
          speech,
        )
      }
      return [
        ...(isSeveral(field)
          ? ticks(field, {
            name: isCodes ? codeOf(field) : labelOf(field),
            heads: (name) => [`${title}${gap}[${name}]`],
            ticked: isCodes ? "Y" : "Yes",
            unticked: isCodes ? "" : "No",
            unanswered: isCodes ? "" : "No",
            withOther: false,
          })
          : [whole(field, [title], speech)]),
        ...texts,
      ]
    })
    const meta = isCodes
      ? ["id", "submitdate", "lastpage", "startlanguage", "seed"]
      : ["Response ID", "Date submitted", "Last page", "Start language", "Seed"]
    const cells: ReadonlyArray<(at: number) => string> = [
      (at) => String(at + 1),
      (at) => stamp(times[at]),
      () => "4",
      () => language,
      () => String(draws.int(100_000_000, 999_999_999)),
    ]
    return {
      headerRows: 1,
      speech,
      dialect: csv("results-survey", {
        delimiter: draws.pick([";", ","]),
        mark: true,
        newline: "\r\n",
        quoteAll: true,
      }),
      columns: [
        ...meta.map((title, index) => own(title, responses, cells[index] ?? (() => ""))),
        ...columns,
        ...(draws.chance(0.3)
          ? [own(isCodes ? "interviewtime" : "Total time", responses, () => `${draws.int(40, 900)}.27`)]
          : []),
      ],
    }
  },
})

const kobo = (isNames: boolean): Style => ({
  tool: "kobo",
  name: isNames ? "kobo names" : "kobo labels",
  isTechnical: isNames,
  writes: isNames ? "code" : "label",
  hasGrids: false,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const plain = plainSpeech(language)
    const layout = draws.pick(["both", "both", "columns", "one"])
    const group = isNames && draws.chance(0.3) ? draws.pick(["intro/", "section_a/", "main/part1/"]) : ""
    const speech: Speech = {
      ...plain,
      yes: isNames ? "yes" : wordsFor(language)[0],
      no: isNames ? "no" : wordsFor(language)[1],
      join: { between: " ", after: "" },
      time: (hours, minutes) => `${two(hours)}:${minutes}:00.000+02:00`,
      option: isNames ? coded("code") : plain.option,
    }
    const columns = fields.flatMap((field): ReadonlyArray<SheetColumn> => {
      const title = isNames ? `${group}${field.name}` : field.title
      const texts = otherText(field, [isNames ? `${title}_other` : "Specify other."])
      const all = whole(field, [title], speech)
      if (!isSeveral(field)) return [all, ...texts]
      const options = ticks(field, {
        name: (option) => speech.option(field, option),
        heads: (name) => [`${title}/${name}`],
        ticked: "1",
        unticked: "0",
      })
      return [...(layout === "columns" ? [] : [all]), ...(layout === "one" ? [] : options), ...texts]
    })
    const iso = (date: Date | undefined) => `${stamp(date).replace(" ", "T")}.000+02:00`
    return {
      headerRows: 1,
      speech,
      dialect: csv("survey_-_all_versions", { delimiter: ";", quoteAll: true }),
      columns: [
        ...(isNames
          ? [
            own("start", responses, (at) => iso(times[at])),
            own("end", responses, (at) => iso(minutesLater(times[at], 9))),
          ]
          : []),
        ...columns,
        own("_id", responses, (at) => String(31_000_000 + at * 311)),
        own(
          "_uuid",
          responses,
          () => `${idOf(draws, hex, 8)}-${idOf(draws, hex, 4)}-4999-8888-${idOf(draws, hex, 12)}`,
        ),
        own("_submission_time", responses, (at) => stamp(times[at]).replace(" ", "T")),
        own("_validation_status", responses, () => ""),
        own("_notes", responses, () => ""),
        own("_status", responses, () => "submitted_via_web"),
        own("_submitted_by", responses, () => ""),
        own("__version__", responses, () => "vK9sBWq3"),
        own("_tags", responses, () => ""),
        own("_index", responses, (at) => String(at + 1)),
      ],
    }
  },
})

const odk: Style = {
  tool: "odk",
  name: "odk",
  isTechnical: true,
  writes: "code",
  hasGrids: false,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const isSplit = draws.chance(0.4)
    const groups = draws.chance(0.4) ? draws.pick([["person", "visit"], ["g1", "g2"], ["basics", "details"]]) : ["", ""]
    const speech: Speech = {
      ...plainSpeech(language),
      yes: "yes",
      no: "no",
      join: { between: " ", after: "" },
      time: (hours, minutes) => `${two(hours)}:${minutes}:00.000+02:00`,
      option: coded("code"),
    }
    const columns = fields.flatMap((field, index): ReadonlyArray<SheetColumn> => {
      const group = (index < fields.length / 2 ? groups[0] : groups[1]) ?? ""
      const title = group === "" ? field.name : `${group}-${field.name}`
      return [
        whole(field, [title], speech),
        ...(isSplit && isSeveral(field)
          ? ticks(field, {
            name: (option) => speech.option(field, option),
            heads: (name) => [`${title}/${name}`],
            ticked: "1",
            unticked: "0",
            unanswered: "0",
          })
          : []),
        ...otherText(field, [`${title}_other`]),
      ]
    })
    const ids = Array.from(
      { length: responses },
      () => `uuid:${idOf(draws, hex, 8)}-${idOf(draws, hex, 4)}-4999-8888-${idOf(draws, hex, 12)}`,
    )
    const tail: ReadonlyArray<readonly [string, string]> = [
      ["SubmitterID", "12"],
      ["SubmitterName", "Collector"],
      ["AttachmentsPresent", "0"],
      ["AttachmentsExpected", "0"],
      ["Status", ""],
      ["ReviewState", ""],
      ["DeviceID", "collect:nG4kP0"],
      ["Edits", "0"],
      ["FormVersion", "3"],
    ]
    return {
      headerRows: 1,
      speech,
      dialect: csv("survey"),
      columns: [
        own("SubmissionDate", responses, (at) => (times[at] ?? new Date(0)).toISOString()),
        own("meta-instanceID", responses, (at) => ids[at] ?? ""),
        ...columns,
        own("KEY", responses, (at) => ids[at] ?? ""),
        ...tail.map(([title, cell]) => own(title, responses, () => cell)),
      ],
    }
  },
}

const redcapRaw: Style = {
  tool: "redcap",
  name: "redcap raw",
  isTechnical: true,
  writes: "number",
  hasGrids: false,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const speech: Speech = { ...plainSpeech(language), yes: "1", no: "0", option: coded("number") }
    const isSurvey = draws.chance(0.5)
    return {
      headerRows: 1,
      speech,
      dialect: csv("Project_DATA"),
      columns: [
        own("record_id", responses, (at) => String(at + 1)),
        ...(isSurvey
          ? [
            own("redcap_survey_identifier", responses, () => ""),
            own("survey_timestamp", responses, (at) => stamp(times[at])),
          ]
          : []),
        ...fields.flatMap((field) => [
          ...(isSeveral(field)
            ? ticks(field, {
              name: (option) => String(option + 1),
              heads: (name) => [`${field.name}___${name}`],
              ticked: "1",
              unticked: "0",
              unanswered: "0",
            })
            : [whole(field, [field.name], speech)]),
          ...otherText(field, [`${field.name}_other`]),
        ]),
        own("survey_complete", responses, () => String(draws.int(0, 2))),
      ],
    }
  },
}

const redcapLabels: Style = {
  ...redcapRaw,
  name: "redcap labels",
  isTechnical: false,
  writes: "label",
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const speech = { ...plainSpeech(language), yes: "Yes", no: "No" }
    return {
      headerRows: 1,
      speech,
      dialect: csv("Project_DATA_LABELS"),
      columns: [
        own("Record ID", responses, (at) => String(at + 1)),
        own("Survey Identifier", responses, () => ""),
        own("Survey Timestamp", responses, (at) => at % 9 === 4 ? "[not completed]" : stamp(times[at])),
        ...fields.flatMap((field) => [
          ...(isSeveral(field)
            ? ticks(field, {
              name: labelOf(field),
              heads: (name) => [`${field.title} (choice=${name})`],
              ticked: "Checked",
              unticked: "Unchecked",
              unanswered: "Unchecked",
            })
            : [whole(field, [field.title], speech)]),
          ...otherText(field, [
            draws.pick([otherWords[language].ask[0] ?? "", `${field.title} - ${otherWords[language].label}`]),
          ]),
        ]),
        own("Complete?", responses, () => draws.pick(["Complete", "Incomplete", "Unverified"])),
      ],
    }
  },
}

const database = (writes: "label" | "code" | "number"): Style => ({
  tool: "database",
  name: `database ${writes}s`,
  isTechnical: true,
  writes,
  hasGrids: false,
  hasOtherColumn: true,
  write: ({ draws, fields, language, responses }) => {
    const times = arrivals(draws, responses)
    const plain = plainSpeech(language)
    const [yes, no] = draws.pick([["true", "false"], ["1", "0"], ["t", "f"], wordsFor(language)])
    const isLocal = draws.chance(0.4) && language !== "en"
    const hasTicks = draws.chance(0.3)
    const speech: Speech = {
      ...plain,
      yes: yes ?? "",
      no: no ?? "",
      join: { between: draws.pick(["|", ";", ", "]), after: "" },
      date: isLocal ? localDate(language) : plain.date,
      number: (text) => isLocal ? text.replace(".", ",") : text,
      option: writes === "label" ? plain.option : coded(writes),
    }
    const letters = draws.pick(["as it is", "as it is", "camel", "upper"])
    const named = (name: string) =>
      letters === "camel"
        ? name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase())
        : letters === "upper"
        ? name.toUpperCase()
        : name
    return {
      headerRows: 1,
      speech,
      dialect: csv("export", { delimiter: isLocal ? ";" : ",", newline: draws.pick(["\n", "\r\n"]) }),
      columns: [
        own(named("id"), responses, (at) => String(5000 + at)),
        ...fields.flatMap((field) => [
          ...(hasTicks && isSeveral(field)
            ? ticks(field, {
              name: codeOf(field),
              heads: (name) => [named(`${field.name}_${name}`)],
              ticked: speech.yes,
              unticked: speech.no,
            })
            : [whole(field, [named(field.name)], speech)]),
          ...otherText(field, [named(`${field.name}_other`)]),
        ]),
        own(named("created_at"), responses, (at) => stamp(times[at])),
        ...(draws.chance(0.5)
          ? [own(named("updated_at"), responses, (at) => stamp(minutesLater(times[at], 400)))]
          : []),
      ],
    }
  },
})

type Layouts = readonly [Style, ...Array<Style>]

/** The layouts of each tool. A layout that is listed twice is drawn twice as often. */
export const tools: readonly [Layouts, ...Array<Layouts>] = [
  [typeform],
  [googleForms],
  [microsoftForms],
  [jotform],
  [surveyMonkey],
  [qualtrics("label"), qualtrics("number"), qualtrics("label")],
  [tally],
  [limeSurvey(false), limeSurvey(true), limeSurvey(false)],
  [kobo(false), kobo(true)],
  [odk],
  [redcapRaw, redcapLabels],
  [database("label"), database("code"), database("number")],
]
