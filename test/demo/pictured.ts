// Makes what README's pictures show: a run of the sample contacts with some broken rows, and a suggested mapping
// in the studio. `npm run pictures` draws the pictures, and pictures.test.ts compares their text.
import { spawnSync } from "node:child_process"
import { cpSync, readFileSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import { stripVTControlCharacters } from "node:util"

/** Breaks some rows of the sample. Three lose the @ of their address, and one is repeated. */
const spoil = (file: string) => {
  const lines = readFileSync(file, "latin1").split("\n")
  for (const row of [5, 90, 131]) lines[row] = lines[row]?.replace("@", " at ") ?? ""
  lines.splice(100, 0, lines[12] ?? "")
  writeFileSync(file, lines.join("\n"), "latin1")
}

/** Replaces text that differs between runs. */
const stable = (text: string): string =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d.]+Z-\w+/g, "RUN")
    .replaceAll(/\w{3} \d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d)? [+-]\d\d:\d\d/g, "TIME")
    .replaceAll(/(?:\d+(?:ms|[hms]) )+\([^)]*\)/g, "DURATION")

const named: Readonly<Record<string, string>> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'", "&amp;": "&" }

/**
 * Returns the text of the part of a report's page that the picture shows, which ends before the section `Read back`.
 */
const pageText = (html: string): string =>
  (html.split("<body")[1]?.split(/<h2[^>]*>Read back</)[0] ?? "")
    .replaceAll(/<(script|style)[^>]*>[^]*?<\/\1>/g, "")
    .replace(/^[^>]*>/, "")
    .replaceAll(/<[^>]+>/g, "\n")
    .replaceAll(/&#?\w+;/g, (entity) => named[entity] ?? entity)
    .split("\n").map((line) => line.trim()).filter((line) => line !== "").join("\n")

/** The pipeline in the picture of the studio. */
const suggested = "new-tickets"

/**
 * Runs the built command with the broken sample in an empty folder, as in a terminal of 96 columns. `text` is the text
 * of the pictures, without times and run ids. For the studio, it is the mapping that the picture shows.
 */
export const pictured = (project: string) => {
  for (const folder of ["config", "pipelines", "samples"]) cpSync(folder, join(project, folder), { recursive: true })
  spoil(join(project, "samples/contacts.csv"))
  const asTerminal = "data:text/javascript,process.stdout.isTTY=true;process.stdout.columns=96"
  const words = ["run", "contacts"]
  const formferry = (options: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [...options, resolve("dist/main.js"), ...args], {
      cwd: project,
      encoding: "utf8",
      env: { ...process.env, TERM: "xterm-256color", NO_COLOR: "" },
    })
  const { stdout } = formferry(["--import", asTerminal], words)
  const source = ["--source", "samples/tickets.csv", "--service", "practice", "--form", "tk_5Q"]
  formferry([], ["init", suggested, ...source])
  const typed = `$ formferry ${words.join(" ")}`
  const terminal = stdout.replaceAll(`${project}/`, "")
  const page = join(project, "reports/contacts/latest/report.html")
  const plain = stripVTControlCharacters(terminal)
  const shown = pageText(readFileSync(page, "utf8").replaceAll(`${project}/`, ""))
  const mapping = readFileSync(join(project, "pipelines", `${suggested}.yaml`), "utf8")
  const text = `terminal.png\n\n${typed}\n${plain}\nreport.png\n\n${shown}\n\nstudio.png\n\n${mapping}`
  return { typed, terminal, page, suggested, text: stable(text) }
}

/** The text that the pictures had when they were made. */
export const recorded = "docs/pictures/text.txt"
