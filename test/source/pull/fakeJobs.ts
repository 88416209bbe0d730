// Tools that export to a file, written from the vendors' documentation and clients, and not from formferry's.
import { zip } from "../workbooks.ts"
import { type FakeRecord, refused, token, type Tool } from "./fakeTools.ts"

const csv = (store: ReadonlyArray<FakeRecord>) =>
  ["id,name", ...store.map(({ id, name }) => `${id},${name}`), ""].join("\n")

/** A job is complete at the third request for its state. */
const polls = 3

/** What an export of Qualtrics contains. Codes of choices, and a column for a question, unless it says otherwise. */
interface QualtricsOptions {
  readonly format?: string
  readonly useLabels?: boolean
  readonly breakoutSets?: boolean
}

const qualtricsOptions = new Set([
  "format",
  "useLabels",
  "breakoutSets",
  "limit",
  "startDate",
  "endDate",
  "timeZone",
  "sortByLastModifiedDate",
  "exportResponsesInProgress",
  "allowContinuation",
  "continuationToken",
])

/** Qualtrics: a POST starts a job, which makes a zip archive of a table. Its progress and its file have different ids. */
export const qualtricsJobs = (
  table: (store: ReadonlyArray<FakeRecord>, options: QualtricsOptions) => string = csv,
): Tool => {
  const jobs = new Map<string, { polled: number; readonly file: Buffer }>()
  return ({ body, headers, method, url }, store) => {
    if (headers["x-api-token"] !== token) return refused
    const [, , id, last] =
      /^(?:\/API\/v3)?\/surveys\/(SV_\w+)\/export-responses(?:\/([^/]+))?(?:\/(file))?$/.exec(url.pathname) ?? []
    if (method === "POST" && id === undefined) {
      const options = JSON.parse(body) as QualtricsOptions
      const isKnown = Object.keys(options).every((name) => qualtricsOptions.has(name))
      if (!isKnown || options.format !== "csv") return { status: 400 }
      const progressId = `ES_${jobs.size}`
      jobs.set(progressId, { polled: 0, file: zip({ "My survey.csv": table(store, options) }) })
      return {
        body: { result: { progressId, percentComplete: 0, status: "inProgress" }, meta: { httpStatus: "200 - OK" } },
      }
    }
    const job = jobs.get((id ?? "").replace("-file", ""))
    if (method !== "GET" || job === undefined) return { status: 404 }
    if (last === "file") return id?.endsWith("-file") === true ? { body: job.file } : { status: 404 }
    job.polled++
    return job.polled < polls
      ? { body: { result: { percentComplete: 33 * job.polled, status: "inProgress" } } }
      : { body: { result: { fileId: `${id}-file`, percentComplete: 100, status: "complete" } } }
  }
}

/** KoboToolbox: a POST creates an export (201). Once it is complete, its `result` is the file's address. */
export const koboExports = (): Tool => {
  const jobs = new Map<string, number>()
  return ({ body, headers, method, url }, store) => {
    if (headers.authorization !== `Token ${token}`) return refused
    if (url.pathname === "/private-media/ada/exports/household.csv") return { body: csv(store) }
    const uid = /^\/assets\/aBc123\/exports\/(?:(\w+)\/)?$/.exec(url.pathname)?.[1]
    if (method === "POST" && uid === undefined) {
      const { group_sep, type } = JSON.parse(body) as { readonly group_sep?: string; readonly type?: string }
      if (type !== "csv" || group_sep === undefined) return { status: 400 }
      const made = `e${jobs.size}`
      jobs.set(made, 0)
      return { status: 201, body: { uid: made, status: "created", result: null } }
    }
    const polled = jobs.get(uid ?? "")
    if (method !== "GET" || uid === undefined || polled === undefined) return { status: 404 }
    jobs.set(uid, polled + 1)
    if (polled + 1 < polls) return { body: { uid, status: ["created", "processing"][polled], result: null } }
    return { body: { uid, status: "complete", result: `${url.origin}/private-media/ada/exports/household.csv` } }
  }
}
