import { FileSystem, Path } from "@effect/platform"
import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { fileURLToPath } from "node:url"
import { platform, projectFolder } from "../project/projectFolder.ts"
import { runOf } from "./runOf.ts"

const page = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url))

const config = "services: { practice: { practice: { forms: ../forms, store: ../.formferry/practice } } }\n"

/** Returns the files that a page shows: their names, and their contents from fenced blocks. */
const filesIn = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    [...text.matchAll(/^`([^`]+)`, [^\n]*:\n\n```\w*\n([\s\S]*?)```$/gm)].map(([, name = "", content = ""]) => [
      name,
      content,
    ]),
  )

it.scopedLive("the README's pipeline imports the tutorial's rows", () =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const files = {
      ...filesIn(yield* fs.readFileString(page("docs/tutorial.md"))),
      ...filesIn(yield* fs.readFileString(page("README.md"))),
      "config/formferry.yaml": config,
    }
    expect(Object.keys(files)).toEqual([
      "people.csv",
      "forms/people.yaml",
      "pipelines/people.yaml",
      "config/formferry.yaml",
    ])
    const root = yield* projectFolder(files)
    const first = yield* runOf(root, "people")
    expect(first).toMatchObject({ exitCode: 1, rows: { read: 3, imported: 2, invalid: 1 }, readBack: { verified: 2 } })

    const rejected = path.join(root, "reports", "people", "latest", "rejected.csv")
    const text = yield* fs.readFileString(rejected)
    yield* fs.writeFileString(rejected, text.replace("not an address", "bob@example.org"))
    const fixed = yield* runOf(root, "people", rejected)
    expect(fixed).toMatchObject({ exitCode: 0, rows: { read: 1, imported: 1 } })

    const again = yield* runOf(root, "people")
    expect(again).toMatchObject({ exitCode: 0, rows: { read: 3, alreadyImported: 3 }, requests: { create: 0 } })
  }).pipe(Effect.provide(platform)))
