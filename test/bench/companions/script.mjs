// The companion for the target `import`: a script that a competent engineer could write in an afternoon. It sends the same
// requests, with as many in flight. It has no ledger, no comparison and no retries.
import { readFileSync } from "node:fs"
import pLimit from "p-limit"
import Papa from "papaparse"
import { Pool } from "undici"

const [file, baseUrl, apiKey, formId, inFlight] = process.argv.slice(2)
const { origin, pathname } = new URL(baseUrl)
const pool = new Pool(origin, { connections: Number(inFlight) })
const limit = pLimit(Number(inFlight))
const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" }

const request = async (method, path, content) => {
  const body = content === undefined ? undefined : JSON.stringify(content)
  const answer = await pool.request({ method, path: pathname + path, headers, body })
  const json = await answer.body.json()
  if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${JSON.stringify(json)}`)
  return json
}

const form = await request("GET", `/forms/${formId}`)
const idOf = new Map(form.questions.map(({ id, name }) => [name, id]))
const day = (text) => text.split(".").reverse().join("-")

const itemOf = (row) => ({
  questions: [
    { id: idOf.get("Name"), value: row.Name },
    { id: idOf.get("Mail"), value: row.Mail },
    { id: idOf.get("Born"), value: day(row.Born) },
    { id: idOf.get("Amount"), value: Number(row.Amount) },
    { id: idOf.get("City"), value: row.City },
    { id: idOf.get("Colour"), value: row.Colour.toLowerCase() },
    { id: idOf.get("Note"), value: row.Note },
    { id: idOf.get("Score"), value: Number(row.Score) },
    { id: idOf.get("Joined"), value: row.Joined },
    { id: idOf.get("Second mail"), value: row["Second mail"] },
    { id: idOf.get("Status"), value: row.Status.toLowerCase() },
  ],
  urlParameters: [{ id: form.urlParameters[0].id, name: "key", value: row.Id }],
})

const { data } = Papa.parse(readFileSync(file, "utf8"), { header: true, skipEmptyLines: true })
const batches = []
for (let at = 0; at < data.length; at += 10) batches.push(data.slice(at, at + 10))

let read = 0
await Promise.all(batches.map(async (rows) => {
  const body = { submissions: rows.map(itemOf) }
  const { submissions } = await limit(() => request("POST", `/forms/${formId}/submissions`, body))
  await Promise.all(submissions.map(async ({ submissionId }) => {
    const { submission } = await limit(() => request("GET", `/forms/${formId}/submissions/${submissionId}`))
    if (submission.submissionId === submissionId) read++
  }))
}))
await pool.close()
process.stdout.write(`${read}\n`)
