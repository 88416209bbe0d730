import { collectLabels, type ColumnLabels, type DefinitionFormat, plainText } from "./Labels.ts"

type Row = ReadonlyMap<string, string>

/** Types of questions whose answers are fixed, with the codes that an export contains. */
const fixed: Readonly<Record<string, ReadonlyMap<string, string>>> = {
  Y: new Map([["Y", "Yes"], ["N", "No"]]),
  G: new Map([["F", "Female"], ["M", "Male"]]),
  C: new Map([["Y", "Yes"], ["N", "No"], ["U", "Uncertain"]]),
  E: new Map([["I", "Increase"], ["S", "Same"], ["D", "Decrease"]]),
}

/** Types with a column for each option. Its cells contain Y. */
const ticked = new Set(["M", "P"])

/** Types with a column for each pair of rows and columns. */
const crossed = new Set([":", ";"])

/** A survey's structure that was exported from LimeSurvey: an .lss file, which is XML. */
export const limeSurveyStructure: DefinitionFormat = {
  title: "LimeSurvey survey structure",
  read: (definition) => {
    if (definition._tag !== "Xml") return undefined
    const rows = (table: string) => definition.tables.get(table) ?? []
    const all = [...rows("questions"), ...rows("subquestions")]
    if (all.length === 0) return undefined
    const language = rows("surveys")[0]?.get("language")
      ?? rows("surveys_languagesettings")[0]?.get("surveyls_language")
    const inLanguage = (row: Row) => language === undefined || (row.get("language") ?? language) === language
    // Since version 4, texts have tables of their own.
    const texts = (table: string, id: string, text: string) =>
      new Map(rows(table).filter(inLanguage).map((row) => [row.get(id) ?? "", row.get(text) ?? ""]))
    const questionTexts = texts("question_l10ns", "qid", "question")
    const answerTexts = texts("answer_l10ns", "aid", "answer")
    const textOf = (row: Row) => plainText(row.get("question") ?? questionTexts.get(row.get("qid") ?? "") ?? "")
    const isPart = (row: Row) => (row.get("parent_qid") ?? "0") !== "0"
    const inScale = (row: Row, scale: string) => (row.get("scale_id") ?? "0") === scale
    const answersOf = (qid: string, scale = "0") =>
      new Map(
        rows("answers").filter((row) => row.get("qid") === qid && inScale(row, scale) && inLanguage(row)).map((row) =>
          [
            row.get("code") ?? "",
            plainText(row.get("answer") ?? answerTexts.get(row.get("aid") ?? "") ?? ""),
          ] as const
        ),
      )

    const found: Array<readonly [string, ColumnLabels]> = []
    for (const question of all.filter((row) => !isPart(row) && inLanguage(row))) {
      const [qid = "", type = "", code = ""] = ["qid", "type", "title"].map((name) => question.get(name))
      if (code === "" || type === "X") continue
      const title = textOf(question)
      const parts = all.filter((row) => row.get("parent_qid") === qid && inLanguage(row))
      const hasOther = question.get("other") === "Y"
      const answers = fixed[type] ?? answersOf(qid)
      const options = ticked.has(type) || !hasOther ? answers : new Map([...answers, ["-oth-", "Other"] as const])
      // In the header, the parts of a name are in brackets, or joined by underscores if the export has codes for expressions.
      const addPart = (names: ReadonlyArray<string>, label: string, values: ColumnLabels["options"] = new Map()) => {
        const [first = "", ...scale] = names
        const labels = {
          title,
          part: { code: [first, ...scale.map((one) => `[${one}]`)].join(" "), label },
          options: values,
        }
        found.push([`${code}${names.map((one) => `[${one}]`).join("")}`, labels], [[code, ...names].join("_"), labels])
      }
      const [first, second] = [parts.filter((row) => inScale(row, "0")), parts.filter((row) => inScale(row, "1"))]
      for (const part of first) {
        const [name, label] = [part.get("title") ?? "", textOf(part)]
        if (crossed.has(type)) {
          for (const other of second) addPart([`${name}_${other.get("title") ?? ""}`], `${label} - ${textOf(other)}`)
        } else if (type === "1") {
          for (const [at, scale] of ["0", "1"].entries()) addPart([name, String(at + 1)], label, answersOf(qid, scale))
        } else addPart([name], label, ticked.has(type) ? undefined : options)
        if (type === "P") addPart([`${name}comment`], `${label} - Comment`)
      }
      if (type === "R") {
        for (let rank = 1; rank <= answers.size; rank++) addPart([String(rank)], `Rank ${rank}`, answers)
      } else if (parts.length === 0) found.push([code, { title, options }])
      if (hasOther) addPart(["other"], "Other")
      if (type === "O") addPart(["comment"], "Comment")
    }
    return collectLabels(found)
  },
}
