// Tests what an editor shows for a pipeline that `init` wrote, as returned by the language server that editors use.
import { NodeContext } from "@effect/platform-node"
import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { inProcess } from "../acceptance/formferry.ts"
import { isLong } from "../long.ts"
import { projectFolder } from "../project/projectFolder.ts"

const people = `No;Name;E-mail;Color;2024;Note;Note
1;Ada Lovelace;ada@example.org;red;yes;a;b
2;Zoë Öz;zoe@example.org;Blue;no;c;d
`

const form = `id: people1
name: People
questions:
  - { id: q1, name: Full name, type: ShortAnswer }
  - { id: q2, name: E-mail, type: EmailInput }
  - { id: q3, name: Color, type: Dropdown, options: [{ value: r, label: Red }, { value: b, label: Blue }] }
  - { id: q4, name: Remarks, type: LongAnswer }
urlParameters:
  - { id: u1, name: source }
`

const pipeline = `pipeline: people
source:
  file: ../people.csv
  rowKey: [No]
  where: { Color: { empty: false } }
  columns: { second: { header: Note, nth: 2, of: 2 } }
mapping:
  questions:
    - id: q1
      from: Name
    - name: E-mail
      as: email
      from: { firstOf: [E-mail] }
    - name: Color
      from: Color
      as: choice
      values: { red: Red, blau: b, none: null }
    - name: Remarks
      from: [second, 2024]
  urlParameters:
    - name: source
      value: legacy
  ignore: [No]
sink:
  service: practice
  form: people1
examples:
  - row: { Name: Ada, Color: Red }
    gives: { Full name: Ada }
`

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly diagnostics?: ReadonlyArray<{ readonly message: string }> }
  readonly result?: { readonly items: ReadonlyArray<{ readonly label: string }> }
}

/** Starts the language server as an editor does, and stops it when the scope closes. */
const languageServer = Effect.gen(function*() {
  const require = createRequire(import.meta.url)
  const bin = require.resolve("yaml-language-server/bin/yaml-language-server")
  const server = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [bin, "--stdio"], { stdio: ["pipe", "pipe", "ignore"] })),
    (child) => Effect.sync(() => child.kill()),
  )
  const waiting: Array<(message: Message) => boolean> = []
  let unread = Buffer.alloc(0)
  server.stdout.on("data", (part: Buffer) => {
    unread = Buffer.concat([unread, part])
    for (;;) {
      const [head = "", length] = /^[^]*?Content-Length: (\d+)[^]*?\r\n\r\n/.exec(unread.toString("latin1")) ?? []
      const end = head.length + Number(length)
      if (length === undefined || unread.length < end) return
      const message = JSON.parse(unread.subarray(head.length, end).toString()) as Message
      unread = unread.subarray(end)
      const at = waiting.findIndex((takes) => takes(message))
      if (at >= 0) waiting.splice(at, 1)
    }
  })
  const send = (message: object) => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const next = (isIt: (message: Message) => boolean) =>
    new Promise<Message>((done) => {
      waiting.push((message) => isIt(message) && (done(message), true))
    })
  let last = 0
  const ask = (method: string, params: object) => {
    const id = ++last
    const answer = next((message) => message.id === id && message.method === undefined)
    send({ id, method, params })
    return answer
  }
  yield* Effect.promise(() => ask("initialize", { processId: process.pid, capabilities: {}, rootUri: null }))
  send({ method: "initialized", params: {} })

  let version = 0
  /** Opens a file in the server. Returns the messages of its diagnostics. */
  const underlined = (file: string, text: string) =>
    Effect.promise(async () => {
      const uri = pathToFileURL(file).href
      const found = next(({ method }) => method === "textDocument/publishDiagnostics")
      const textDocument = { uri, version: ++version, languageId: "yaml", text }
      send(
        version === 1
          ? { method: "textDocument/didOpen", params: { textDocument } }
          : { method: "textDocument/didChange", params: { textDocument, contentChanges: [{ text }] } },
      )
      return ((await found).params?.diagnostics ?? []).map(({ message }) => message)
    })
  /** Returns the completions that the server offers at the position of `|` in the text. */
  const offered = (file: string, text: string) =>
    Effect.gen(function*() {
      const before = text.slice(0, text.indexOf("|")).split("\n")
      yield* underlined(file, text.replace("|", ""))
      const answer = yield* Effect.promise(() =>
        ask("textDocument/completion", {
          textDocument: { uri: pathToFileURL(file).href },
          position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 },
        })
      )
      return (answer.result?.items ?? []).map(({ label }) => label)
    })
  return { underlined, offered }
})

layer(NodeContext.layer)("an editor with a pipeline written by `init`", (it) => {
  it.scoped.runIf(isLong)(
    "an editor completes columns, questions and options, and underlines a mistake once",
    () =>
      Effect.gen(function*() {
        const cwd = yield* projectFolder({ "people.csv": people, "forms/people.yaml": form })
        const words = ["init", "people", "--source", "people.csv", "--forms", "forms", "--form", "people1"]
        expect((yield* inProcess(words, { cwd })).status).toBe(0)
        const file = join(cwd, "pipelines/people.yaml")
        const made = readFileSync(file, "utf8")
        expect(made.split("\n")[0]).toBe("# yaml-language-server: $schema=../config/schemas/pipelines/people.json")
        const editor = yield* languageServer
        expect(yield* editor.underlined(file, made)).toEqual([])

        const text = `${made.split("\n")[0]}\n${pipeline}`
        writeFileSync(file, text)
        const checked = yield* inProcess(["check"], { cwd })
        expect(checked.stdout).toContain("config/schemas/pipelines/people.json, the schema for editors,")
        expect(checked.status, checked.stdout).toBe(0)
        expect((yield* inProcess(["check"], { cwd })).stdout).not.toContain("for editors")
        const printed = yield* inProcess(["schema", "pipeline", "--for", "people"], { cwd })
        expect(printed.stdout).toBe(readFileSync(join(cwd, "config/schemas/pipelines/people.json"), "utf8"))
        const again = yield* languageServer
        expect(yield* again.underlined(file, text)).toEqual([])

        const mistakes: ReadonlyArray<readonly [right: string, wrong: string]> = [
          ["pipeline: people", "pipline: people"],
          ["source:\n", "soruce:\n"],
          ["mapping:", "maping:"],
          ["rowKey: [No]", "rowkey: [No]"],
          ["rowKey: [No]", "rowKey: [Nr]"],
          ["{ empty: false }", "{ emty: false }"],
          ["where: { Color", "where: { Colour"],
          ["id: q1", "id: q9"],
          ["      from: Name", "      form: Name"],
          ["      from: Name", "      from: Nmae"],
          ["name: E-mail", "nmae: E-mail"],
          ["name: E-mail", "name: E-Mail"],
          ["as: email", "as: e-mail"],
          ["as: email", "az: email"],
          ["firstOf: [E-mail]", "firstOf: [Email]"],
          ["firstOf:", "firstof:"],
          ["from: Color", "from: Colour"],
          ["red: Red", "red: Rot"],
          ["values:", "vlaues:"],
          ["2024]", "2023]"],
          ["name: source", "name: sauce"],
          ["ignore: [No]", "ignore: [Nr]"],
          ["service: practice", "servce: practice"],
          ["form: people1", "from: people1"],
          ["row: { Name", "row: { Nmae"],
          ["gives: { Full name", "gives: { Ful name"],
        ]
        const found: Array<readonly [string, ReadonlyArray<string>]> = []
        for (const [right, wrong] of mistakes) {
          expect(text).toContain(right)
          const messages = yield* again.underlined(file, text.replace(right, wrong))
          if (messages.length !== 1) found.push([wrong, messages])
        }
        expect(found).toEqual([])

        const columns = yield* again.offered(file, text.replace("from: Color", "from: |"))
        expect(columns).toEqual(expect.arrayContaining([`"No"`, "Name", "E-mail", "Color", "second"]))
        const questions = yield* again.offered(file, text.replace("name: Color", "name: |"))
        expect(questions).toEqual(expect.arrayContaining(["Full name", "E-mail", "Color", "Remarks"]))
        const options = yield* again.offered(file, text.replace("red: Red", "red: |"))
        expect(options).toEqual(expect.arrayContaining(["Red", "Blue"]))
        const keys = yield* again.offered(file, text.replace("      as: email\n", "      as: email\n      |\n"))
        expect(keys).toEqual(expect.arrayContaining(["required", "when", "onInvalid"]))
      }),
    60_000,
  )
})
