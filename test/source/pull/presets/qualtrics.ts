import { qualtricsJobs } from "../fakeJobs.ts"
import { createdAt, type FakePreset } from "./FakePreset.ts"

const time = (iso: string) => iso.slice(0, 19).replace("T", " ")

/** The three rows of the header: names, texts, and ids as JSON. */
const header = (isBrokenOut: boolean) => [
  `StartDate,EndDate,Status,Progress,Finished,RecordedDate,ResponseId,UserLanguage,Q1,${
    isBrokenOut ? "Q2_1,Q2_2" : "Q2"
  }`,
  `Start Date,End Date,Response Type,Progress,Finished,Recorded Date,Response ID,User Language,Your name,${
    isBrokenOut ? "Which? - A,Which? - B" : "Which?"
  }`,
  [
    ...["startDate", "endDate"].map((ImportId) => ({ ImportId, timeZone: "UTC" })),
    ...["status", "progress", "finished"].map((ImportId) => ({ ImportId })),
    { ImportId: "recordedDate", timeZone: "UTC" },
    ...["_recordId", "userLanguage", "QID1_TEXT"].map((ImportId) => ({ ImportId })),
    ...(isBrokenOut ? ["1", "2"].map((choiceId) => ({ ImportId: "QID2", choiceId })) : [{ ImportId: "QID2" }]),
  ].map((id) => `"${JSON.stringify(id).replaceAll('"', '""')}"`).join(","),
]

/** Qualtrics: an export of all finished responses, newest first, as CSV in a zip archive. */
export const qualtrics: FakePreset = {
  api: "qualtrics",
  signIn: "token: { env: TOOL_TOKEN }",
  source: "form: SV_1abcDEF234ghiJK",
  column: "Q1",
  // One request starts the export, three ask for its state, and one downloads the file.
  requests: 5,
  answer: qualtricsJobs((store, { breakoutSets = false, useLabels = false }) => {
    const [status, finished, choice] = useLabels ? ["IP Address", "True", "A"] : [0, 1, 1]
    const lines = store.toReversed().map((record) => {
      const created = time(createdAt(record))
      return `${created},${created},${status},100,${finished},${created},R_${record.id},EN,${record.name},${choice}${
        breakoutSets ? "," : ""
      }`
    })
    return `\uFEFF${[...header(breakoutSets), ...lines, ""].join("\n")}`
  }),
}
