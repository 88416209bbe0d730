// Tests the questions of `init`, with a person at the terminal.
import { Terminal } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseForm } from "../../src/practice/files.ts"
import { serve } from "../../src/practice/PracticeService.ts"
import { onOneLine } from "../acceptance/formferry.ts"
import { projectFolder } from "../project/projectFolder.ts"
import { command } from "./inProcess.ts"
import { typed } from "./typed.ts"

const key = "practice_key_of_the_test"

it.scopedLive("init asks again for an API key that the service refuses, and writes only the accepted key", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({ "people.csv": "Id,Name\n1,Ada\n2,Bob\n" })
    const form = yield* parseForm(
      "f.yaml",
      "id: f1\nname: People\nquestions: [{ id: q1, name: Name, type: ShortAnswer }]\n",
    )
    const { baseUrl } = yield* serve({ forms: [form], port: 0, apiKey: Redacted.make(key) })
    const words = ["init", "people", "--source", join(root, "people.csv"), "--base-url", baseUrl, "--form", "f1"]
    const init = (keys: string) =>
      Effect.gen(function*() {
        const { shown, terminal } = yield* typed(keys)
        const ran = yield* Effect.provideService(
          command([...words, "--project", root], {}, true),
          Terminal.Terminal,
          terminal,
        )
        return { ...ran, shown: onOneLine(shown.join("")) }
      })

    const left = yield* init("wrong\r\u0003")
    expect(left.shown).toContain(`${baseUrl} does not accept this key (status 400). Nothing was written. Paste the key`)
    expect([left.status, existsSync(join(root, ".env")), existsSync(join(root, "config"))]).toEqual([130, false, false])

    const made = yield* init(`wrong\r${key}\r`)
    expect([made.status, made.err]).toEqual([0, ""])
    expect(made.shown.split("does not accept")).toHaveLength(2)
    expect(made.shown).not.toContain(key)
    expect(readFileSync(join(root, ".env"), "utf8")).toContain(key)
    expect(readFileSync(join(root, ".env"), "utf8")).not.toContain("wrong")
  }).pipe(Effect.provide(NodeContext.layer)))

const form = (id: string, name: string) =>
  `id: ${id}\nname: ${name}\nquestions: [{ id: q1, name: Name, type: ShortAnswer }]\n`

const withForms = (capabilities: string) =>
  projectFolder({
    "config/formferry.yaml": `services: { practice: { practice: { forms: ../forms }${capabilities} } }\n`,
    "forms/a.yaml": form("a1", "Animals"),
    "forms/p.yaml": form("p1", "People"),
    "people.csv": "Id,Name\n1,Ada\n2,Bob\n",
  })

it.scopedLive("init offers the forms of a service that can list them, otherwise asks for the form's id", () =>
  Effect.gen(function*() {
    const shownFor = (capabilities: string, keys: string) =>
      Effect.gen(function*() {
        const root = yield* withForms(capabilities)
        const { shown, terminal } = yield* typed(`${keys}\rn`)
        const words = ["init", "people", "--source", join(root, "people.csv"), "--project", root]
        const { status } = yield* Effect.provideService(command(words, {}, true), Terminal.Terminal, terminal)
        expect(status).toBe(0)
        expect(readFileSync(join(root, "pipelines", "people.yaml"), "utf8")).toMatch(/form: p1\b/)
        return shown.join("")
      })
    expect(yield* shownFor(", capabilities: [list]", "2")).toContain("2  People (p1)")
    expect(yield* shownFor("", "p1")).toContain("The form's id:")
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("init says where the id of a practice form is", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({ "forms/a.yaml": form("a1", "Animals"), "people.csv": "Id,Name\n1,Ada\n" })
    const { shown, terminal } = yield* typed("\ra1\rn")
    const words = [
      "init",
      "people",
      "--source",
      join(root, "people.csv"),
      "--project",
      root,
      "--forms",
      join(root, "forms"),
    ]
    expect((yield* Effect.provideService(command(words, {}, true), Terminal.Terminal, terminal)).status).toBe(0)
    expect(shown.join("")).toContain("Type the `id` in the form's file.")
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("form lists the forms of a service, for people and for programs", () =>
  Effect.gen(function*() {
    const root = yield* withForms("")
    const list = (...words: ReadonlyArray<string>) => command(["form", "practice", "--project", root, ...words])
    expect((yield* list()).out.replaceAll(/[ │]+/g, " ")).toContain("Animals a1\n People p1")
    expect(JSON.parse((yield* list("--json")).out)).toEqual([{ id: "a1", name: "Animals" }, {
      id: "p1",
      name: "People",
    }])
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("a failed init names the files of the project that it created, and the next one refuses to change the service", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({ "forms/a.yaml": form("a1", "Animals"), "people.csv": "Id,Name\n1,Ada\n" })
    const init = (...words: ReadonlyArray<string>) =>
      Effect.map(
        command(["init", "people", "--project", root, "--source", join(root, "people.csv"), ...words]),
        ({ err, status }) => ({ status, err: onOneLine(err) }),
      )
    const failed = yield* init("--forms", join(root, "forms"), "--form", "b1")
    expect(failed).toMatchObject({
      status: 5,
      err: expect.stringMatching(/Written: config\/formferry\.yaml, .+no form/),
    })
    const again = yield* init("--base-url", "https://example.org/v1", "--form", "a1")
    expect(again).toMatchObject({
      status: 2,
      err: expect.stringContaining(
        "config/formferry.yaml already has the service practice (practice). To use it, omit `--base-url`, which is only for a new project. To add or change a service, edit that file.",
      ),
    })
    expect((yield* init("--form", "a1")).status).toBe(0)
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("init with an unknown form suggests the command that lists the forms, if the service can list them", () =>
  Effect.gen(function*() {
    const lastLine = (capabilities: string) =>
      Effect.gen(function*() {
        const root = yield* withForms(capabilities)
        const words = ["init", "people", "--source", join(root, "people.csv"), "--form", "x", "--project", root]
        return (yield* command(words)).err.trimEnd().split("\n").at(-1)
      })
    expect(yield* lastLine(", capabilities: [list]")).toMatch(/^formferry form practice --project /)
    expect(yield* lastLine("")).not.toMatch(/^formferry /)
  }).pipe(Effect.provide(NodeContext.layer)))

it.scopedLive("a second init says what is still left open", () =>
  Effect.gen(function*() {
    const root = yield* projectFolder({
      "config/formferry.yaml": "services: { practice: { practice: { forms: ../forms } } }\n",
      "forms/p.yaml":
        "id: p1\nname: People\nquestions: [{ id: q1, name: Name, type: ShortAnswer }, { id: q2, name: Shoe size, type: NumberInput }]\n",
      "people.csv": "Id,Name,Town\n1,Ada,Bonn\n2,Bob,n/a\n",
    })
    const init = (...words: ReadonlyArray<string>) =>
      Effect.map(command(["init", "people", "--project", root, ...words]), ({ out }) => onOneLine(out))
    expect(yield* init("--source", join(root, "people.csv"), "--form", "p1")).toMatch(
      /Left open, .+: source\.empty, Shoe size\./,
    )
    expect(yield* init()).toMatch(
      /nothing new, so nothing was added\. Still left open \(search for "left open"\): source\.empty, Shoe size\./,
    )
  }).pipe(Effect.provide(NodeContext.layer)))
