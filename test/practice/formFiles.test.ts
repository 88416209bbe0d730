import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { loadFaults, loadForms, parseForm } from "../../src/practice/files.ts"

const yaml = `
id: f1
name: Contacts
questions:
  - { id: q1, name: Name, type: ShortAnswer }
  - { id: q2, name: Colour, type: Dropdown, options: [Red, { value: g, label: Green }, { id: o3, value: b }] }
  - { id: q3, name: Old }
urlParameters: [{ id: u1, name: legacy_id }]
quiz: { enabled: true }
tags: [unknown members are ignored]
`

describe("form files of the practice service", () => {
  layer(NodeContext.layer)((it) => {
    it.effect("form files contain a form's metadata, as YAML or JSON", () =>
      Effect.gen(function*() {
        expect(yield* parseForm("f1.yaml", yaml)).toEqual({
          id: "f1",
          name: "Contacts",
          questions: [
            { id: "q1", name: "Name", type: "ShortAnswer", options: undefined },
            {
              id: "q2",
              name: "Colour",
              type: "Dropdown",
              options: [{ value: "Red", label: "Red" }, { value: "g", label: "Green" }, { value: "b", label: "b" }],
            },
            { id: "q3", name: "Old", type: undefined, options: undefined },
          ],
          calculations: [],
          urlParameters: [{ id: "u1", name: "legacy_id" }],
          scheduling: [],
          payments: [],
          quiz: { enabled: true },
        })
      }))

    it.effect("all mistakes in a form file are reported, each at its place", () =>
      Effect.gen(function*() {
        const error = yield* Effect.flip(parseForm(
          "bad.yaml",
          "id: ''\nquestions: [{ name: x }, { id: q, name: 7 }]\nurlParameters: {}",
        ))
        expect(error.problems.map((problem) => problem.replace(/:.*/, ""))).toEqual([
          "id",
          "name",
          "questions[0].id",
          "questions[1].name",
          "urlParameters",
        ])
        expect(error.problems[0]).toBe('id: expects text, not empty, not ""')
        expect(error.message).toContain("bad.yaml")
        expect((yield* Effect.flip(parseForm("x.yaml", "id: [")))._tag).toBe("FormFileInvalid")
        expect((yield* Effect.flip(parseForm("x.yaml", ""))).problems).toHaveLength(1)
        expect(
          (yield* Effect.flip(
            parseForm("x.yaml", "id: f\nname: n\nquestions: [{ id: q, name: a }, { id: q, name: b }]"),
          ))
            .problems,
        ).toEqual(['the id "q" occurs twice'])
      }))

    it.scoped("form files are loaded from a folder in the order of their names, and two files with the same id are refused", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(`${folder}/b.yaml`, yaml)
        yield* fs.writeFileString(`${folder}/a.json`, JSON.stringify({ id: "f2", name: "n", questions: [] }))
        yield* fs.writeFileString(`${folder}/README.md`, "no form")
        expect((yield* loadForms(folder)).map(({ id }) => id)).toEqual(["f2", "f1"])
        yield* fs.writeFileString(`${folder}/c.yml`, yaml)
        expect((yield* Effect.flip(loadForms(folder))).message).toContain('another file already has the id "f1"')
        expect((yield* Effect.flip(loadForms(`${folder}/none`))).message).toBe(
          `The folder of form files ${folder}/none can't be read: it does not exist. Correct \`forms\` of the practice service, or create the folder and write a form file into it.`,
        )
      }))

    it.scoped("a form file that is too large is refused before it is read, like a faults file", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const file = `${folder}/large.yaml`
        yield* fs.writeFileString(file, `${yaml}# ${"x".repeat(1_100_000)}`)
        const tooLarge = "At most 1,048,576 are allowed"
        expect((yield* Effect.flip(loadForms(folder))).message).toContain(tooLarge)
        expect((yield* Effect.flip(loadFaults(file))).message).toContain(tooLarge)
      }))
  })
})
