// Watches the memory of the built `formferry schedule`: node .ci/soak.mjs --minutes 10 [--every 60] [--rows 20] [--warm-up 120].
// A pipeline is due each minute (or every SECONDS), its file grows after each run, and the practice service is a separate process. During a warm-up, the pipeline is due
// every second, because memory for code that the engine compiles at its first run doesn't count. Exits with code 1 if memory grew or rows are missing.
import { spawn } from "node:child_process"
import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import process from "node:process"
import { setTimeout as sleep } from "node:timers/promises"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    every: { type: "string", default: "60" },
    rows: { type: "string", default: "20" },
    "warm-up": { type: "string", default: "120" },
  },
})
const minutes = Number(values.minutes)
const every = Number(values.every)
const rowsEach = Number(values.rows)
const warmUp = Number(values["warm-up"])
const sampleEvery = Math.min(10, every / 2)

const root = resolve(import.meta.dirname, "..")
const main = join(root, "dist", "main.js")
const folder = mkdtempSync(join(tmpdir(), "formferry-soak-"))
const memory = join(folder, "memory.jsonl")
const file = (name, text) => {
  mkdirSync(join(folder, name, ".."), { recursive: true })
  writeFileSync(join(folder, name), text)
}

file(
  "forms/people.yaml",
  `id: people
name: People
questions:
  - { id: qName, name: Name, type: ShortAnswer }
  - { id: qMail, name: E-mail, type: EmailInput }
  - { id: qBorn, name: Born, type: DatePicker }
`,
)

const start = (args, more = {}) => {
  const child = spawn(process.execPath, [...(more.node ?? []), main, ...args], {
    cwd: folder,
    env: { ...process.env, NO_COLOR: "1", ...more.env },
    stdio: ["ignore", "pipe", "pipe"],
  })
  let out = ""
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      out += text
    })
  }
  const ended = new Promise((done) => child.on("close", (code, signal) => done(code ?? signal)))
  return { child, out: () => out, ended }
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN
const mb = (bytes) => `${(bytes / 1_048_576).toFixed(1)} MB`

/** Returns the growth from the first quarter of the time to the last one. */
const growth = (samples, what) => {
  const quarter = Math.floor(samples.length / 4)
  const from = median(samples.slice(0, quarter).map(what))
  const to = median(samples.slice(-quarter).map(what))
  return { from, to }
}

let failed = false
const say = (what, fine, figures) => {
  if (!fine) failed = true
  console.log(`${fine ? "ok  " : "FAIL"}  ${what}: ${figures}`)
}

const service = start(["practice", "--port", "0", "--forms", join(folder, "forms"), "--json"])
let watched
try {
  while (!service.out().includes("apiKey")) await sleep(50)
  const { baseUrl, apiKey } = JSON.parse(service.out().split("\n").find((line) => line.startsWith("{")))
  file(
    "config/formferry.yaml",
    `services: { live: { baseUrl: "${baseUrl}", apiKey: { env: SOAK_KEY }, requestsPerSecond: 100, confirm: false } }\n`,
  )
  const pipeline = (cron) =>
    file(
      "pipelines/people.yaml",
      `pipeline: people
source: { file: ../source.csv, rowKey: [No] }
mapping:
  questions:
    - { name: Name, from: Name }
    - { name: E-mail, from: Mail, as: email }
    - { name: Born, from: Born, as: date }
sink: { service: live, form: people }
schedule: { cron: "${cron}", zone: Europe/Berlin }
`,
    )
  pipeline("* * * * * *")
  let rows = 0
  const grow = () => {
    const lines = Array.from({ length: rowsEach }, () => `${++rows},Person ${rows},p${rows}@example.org,1990-01-17\n`)
    appendFileSync(join(folder, "source.csv"), lines.join(""))
  }
  file("source.csv", "No,Name,Mail,Born\n")
  grow()
  watched = start(["schedule"], {
    node: ["--expose-gc", "--import", join(import.meta.dirname, "soakProbe.mjs")],
    env: { SOAK_KEY: apiKey, SOAK_FILE: memory, SOAK_EVERY: String(sampleEvery * 1000) },
  })
  const runs = () => watched.out().split("\n").filter((line) => / people: /.test(line) && line.includes(" read"))
  /** Waits a few seconds. Meanwhile, extends the file after each run, but never while a run may read it. */
  const live = async (seconds) => {
    const until = Date.now() + seconds * 1000
    for (let seen = runs().length; Date.now() < until; await sleep(50)) {
      if (runs().length === seen) continue
      seen = runs().length
      grow()
    }
  }
  await live(warmUp)
  const warm = runs().length
  // The process keeps running and reads the changed file.
  pipeline(every === 60 ? "* * * * *" : `*/${every} * * * * *`)
  // The measured time starts and ends halfway between two scheduled times.
  await live(2 + (1.5 * every - (2 + Date.now() / 1000) % every) % every)
  const before = runs().length
  writeFileSync(memory, "")
  await live(minutes * 60)
  watched.child.kill("SIGTERM")
  const status = await watched.ended
  console.log(watched.out().trimEnd().split("\n").slice(-6).join("\n"))
  const samples = existsSync(memory)
    ? readFileSync(memory, "utf8").trim().split("\n").map((line) => JSON.parse(line))
    : []
  for (const [index, { external, heapUsed, rss }] of samples.entries()) {
    if (index % Math.ceil(samples.length / 20) === 0 || index === samples.length - 1) {
      console.log(
        `${String(Math.round((index + 1) * sampleEvery)).padStart(6)} s  heap ${mb(heapUsed)}  external ${
          mb(external)
        }  rss ${mb(rss)}`,
      )
    }
  }
  const heap = growth(samples, ({ external, heapUsed }) => heapUsed + external)
  const rss = growth(samples, (one) => one.rss)
  const measured = runs().slice(before)
  const imported = measured.filter((line) => line.includes(`${rowsEach} imported`))
  say(
    "runs",
    measured.length >= Math.floor(minutes * 60 / every) - 1 && imported.length >= measured.length - 1
      && measured.every((line) => line.includes("Complete")),
    `${measured.length} after ${warm} of the warm-up, all complete, ${imported.length} of them with ${rowsEach} new rows; ${rows} rows in all`,
  )
  say(
    "live heap and buffers",
    heap.to <= heap.from * 1.02 + 524_288,
    `${mb(heap.from)} in the first quarter, ${mb(heap.to)} in the last`,
  )
  say(
    "resident memory",
    rss.to <= rss.from * 1.05 + 1_048_576,
    `${mb(rss.from)} in the first quarter, ${mb(rss.to)} in the last`,
  )
  say("graceful end", status === 143, `exit code ${status}`)
} finally {
  watched?.child.kill("SIGKILL")
  service.child.kill("SIGTERM")
  await service.ended
  rmSync(folder, { recursive: true, force: true })
}
process.exit(failed ? 1 : 0)
