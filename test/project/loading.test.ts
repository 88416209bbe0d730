import { FileSystem } from "@effect/platform"
import { describe, expect, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Exit, Layer, Redacted } from "effect"
import { existsSync, mkdirSync, writeFileSync } from "node:fs"
import type { ConfigurationInvalid, PipelineUnknown, ProjectNotFound } from "../../src/project/errors.ts"
import { findProject, loadProject } from "../../src/project/loadProject.ts"
import type { Project } from "../../src/project/Project.ts"
import { pipelineYaml, platform, projectFolder, projectYaml } from "./projectFolder.ts"

const broken = pipelineYaml("broken").replace("rowKey", "roKey")

const diagnosticsOf = <A, R>(effect: Effect.Effect<A, ConfigurationInvalid | PipelineUnknown | ProjectNotFound, R>) =>
  Effect.flip(effect).pipe(
    Effect.map((error) => error._tag === "ConfigurationInvalid" ? error.diagnostics : [error.message]),
  )

it.layer(platform)("a project's folder", (it) => {
  it.scoped("a project's folder is the nearest parent folder with config/formferry.yaml", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({ "config/formferry.yaml": projectYaml, "pipelines/deep/er/x.txt": "" })
      expect(yield* findProject(`${root}/pipelines/deep/er`)).toBe(root)
      expect(yield* findProject(root)).toBe(root)
      const inner = `${root}/pipelines/deep`
      const fs = yield* FileSystem.FileSystem
      yield* fs.makeDirectory(`${inner}/config`)
      yield* fs.writeFileString(`${inner}/config/formferry.yaml`, projectYaml)
      expect(yield* findProject(`${root}/pipelines/deep/er`)).toBe(inner)
    }))

  it.scoped("a file of more than a megabyte is refused before it is read", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml,
        "pipelines/large.yaml": `${pipelineYaml("large")}\nx-long: [${"b,".repeat(3_000_000)}]\n`,
      })
      const found = yield* diagnosticsOf(loadProject(root).pipe(Effect.flatMap(() => Effect.die("it was loaded"))))
      expect(found).toMatchObject([{
        file: "pipelines/large.yaml",
        message: expect.stringMatching(/^The file has 6,000,\d+ bytes\. At most 1,048,576/),
      }])
    }))

  it.scoped("a folder that is not a project is reported with advice", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({ "a/b.txt": "" })
      const error = yield* Effect.flip(findProject(`${root}/a`))
      expect(error._tag).toBe("ProjectNotFound")
      expect(error.message).toContain("--project DIR")
      expect(yield* diagnosticsOf(loadProject(root))).toEqual([expect.stringContaining("config/formferry.yaml")])
    }))

  it.scoped("a config folder that can't be read is not reported as missing", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({ config: "", "closed/config/formferry.yaml": projectYaml })
      const file = "can't be read: a part of its path is a file, not a folder."
      expect((yield* Effect.flip(findProject(root))).message).toContain(`${root}/config/formferry.yaml ${file}`)
      expect(yield* diagnosticsOf(loadProject(root))).toMatchObject([{ message: `The file ${file}` }])
      // The superuser may read every folder.
      if (process.getuid?.() === 0) return
      const fs = yield* FileSystem.FileSystem
      yield* fs.chmod(`${root}/closed/config`, 0o600)
      const closed = "can't be read: you don't have permission."
      expect((yield* Effect.flip(findProject(`${root}/closed`))).message).toContain(closed)
      expect(yield* diagnosticsOf(loadProject(`${root}/closed`))).toMatchObject([{ message: `The file ${closed}` }])
    }))
})

it.layer(platform)("loading pipelines", (it) => {
  it.scoped("every .yaml and .yml file except hidden ones is loaded under the name that it contains", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml,
        "pipelines/one.yaml": pipelineYaml("first"),
        "pipelines/two.yml": pipelineYaml("second"),
        "pipelines/notes.txt": "x: [",
        "pipelines/.draft.yaml": "x: [",
      })
      expect([...(yield* loadProject(root)).pipelines.keys()]).toEqual(["first", "second"])
    }))

  it.scoped("a broken pipeline is reported only if it is requested", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml,
        "pipelines/broken.yaml": broken,
        "pipelines/garbage.yaml": "a: [",
        "pipelines/latin1.yaml": Uint8Array.from(Buffer.from("pipeline: k\xE4ufer\n", "latin1")),
        "pipelines/good.yaml": pipelineYaml("good"),
      })
      const project = yield* loadProject(root, { pipelines: ["good"] })
      expect([...project.pipelines.keys()]).toEqual(["good"])
      expect(yield* diagnosticsOf(loadProject(root, { pipelines: ["good", "broken"] }))).toEqual([
        expect.objectContaining({ file: "pipelines/broken.yaml", line: 4, column: 3 }),
      ])
      const all = yield* diagnosticsOf(loadProject(root))
      expect(all).toEqual([
        expect.objectContaining({ file: "pipelines/broken.yaml" }),
        expect.objectContaining({ file: "pipelines/garbage.yaml", line: 1, column: 4 }),
        expect.objectContaining({
          file: "pipelines/latin1.yaml",
          line: 1,
          column: 12,
          message: expect.stringContaining("UTF-8"),
        }),
      ])
    }))

  it.scoped("the nearest name is suggested for an unknown pipeline, and files whose name can't be read are shown", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml,
        "pipelines/a.yaml": pipelineYaml("contacts"),
      })
      const error = yield* Effect.flip(loadProject(root, { pipelines: ["contcats", "contacts"] }))
      expect(error._tag).toBe("PipelineUnknown")
      expect(error.message).toBe("There is no pipeline `contcats`. Did you mean `contacts`?")
      const fs = yield* FileSystem.FileSystem
      yield* fs.writeFileString(`${root}/pipelines/b.yaml`, "pipelin: contcats\n")
      expect(yield* diagnosticsOf(loadProject(root, { pipelines: ["contcats"] }))).toContainEqual(
        expect.objectContaining({ file: "pipelines/b.yaml", suggestion: "Did you mean `pipeline`?" }),
      )
    }))

  it.scoped("a folder with the name of a pipeline's file is reported, and other files are no pipelines", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({ "config/formferry.yaml": projectYaml, "pipelines/a.txt": pipelineYaml("a") })
      expect((yield* Effect.flip(loadProject(root, { pipelines: ["a"] }))).message).toBe(
        "There is no pipeline `a`. The folder pipelines/ has no pipeline yet: each is a file whose name ends in .yaml.",
      )
      const fs = yield* FileSystem.FileSystem
      yield* fs.makeDirectory(`${root}/pipelines/a.yaml`)
      expect(yield* diagnosticsOf(loadProject(root, {}))).toContainEqual(
        expect.objectContaining({ file: "pipelines/a.yaml", message: "The file can't be read: it is a folder." }),
      )
    }))

  it.scoped("a name that two files use is reported in both files", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml,
        "pipelines/a.yaml": pipelineYaml("same"),
        "pipelines/b.yaml": "# a copy\n" + pipelineYaml("same"),
        "pipelines/c.yaml": pipelineYaml("other"),
      })
      expect(yield* diagnosticsOf(loadProject(root, { pipelines: ["same"] }))).toEqual([
        expect.objectContaining({
          file: "pipelines/a.yaml",
          line: 1,
          column: 11,
          message: "pipelines/b.yaml is called `same`, too.",
        }),
        expect.objectContaining({
          file: "pipelines/b.yaml",
          line: 2,
          column: 11,
          message: "pipelines/a.yaml is called `same`, too.",
        }),
      ])
      // Someone who copied a file may request the copy by the file's name.
      expect(yield* diagnosticsOf(loadProject(root, { pipelines: ["b"] }))).toEqual([
        expect.objectContaining({ file: "pipelines/a.yaml", message: "pipelines/b.yaml is called `same`, too." }),
        expect.objectContaining({ file: "pipelines/b.yaml", message: "pipelines/a.yaml is called `same`, too." }),
      ])
      expect((yield* Effect.flip(loadProject(root, { pipelines: ["c"] }))).message).toBe(
        "There is no pipeline `c`: the one in pipelines/c.yaml is called `other`.",
      )
      expect((yield* loadProject(root, { pipelines: ["other"] })).pipelines.size).toBe(1)
    }))

  it.scoped("names that differ only in letter case are reported in both files if the disk ignores case", () =>
    Effect.gen(function*() {
      const files = {
        "config/formferry.yaml": projectYaml,
        "pipelines/a.yaml": pipelineYaml("Same"),
        "pipelines/b.yaml": pipelineYaml("same"),
      }
      const root = yield* projectFolder(files)
      const isIgnored = existsSync(`${root}/CONFIG`)
      if (!isIgnored) {
        expect((yield* loadProject(root)).pipelines.size).toBe(2)
        // As a disk that ignores case would show the file.
        mkdirSync(`${root}/CONFIG`)
        writeFileSync(`${root}/CONFIG/FORMFERRY.YAML`, projectYaml)
      }
      for (const pipelines of ["all", ["same"]] as const) {
        expect(yield* diagnosticsOf(loadProject(root, { pipelines }))).toEqual([
          expect.objectContaining({
            file: "pipelines/a.yaml",
            message: "pipelines/b.yaml is called `same`, which differs only in letter case.",
          }),
          expect.objectContaining({
            file: "pipelines/b.yaml",
            message: "pipelines/a.yaml is called `Same`, which differs only in letter case.",
          }),
        ])
      }
    }))

  it.scoped("an unknown service is reported with the nearest name, together with all other mistakes", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml,
        "pipelines/a.yaml": pipelineYaml("a", "service: practise, form: f, batchSize: 0"),
        "pipelines/b.yaml": pipelineYaml(
          "b",
          "targets: { x: { service: live, form: f }, y: { service: nowhere, form: f } }",
        ),
      })
      expect(yield* diagnosticsOf(loadProject(root))).toEqual([
        expect.objectContaining({ line: 9, column: 18, suggestion: "Did you mean `practice`?" }),
        expect.objectContaining({ line: 9, column: 48 }),
        expect.objectContaining({
          file: "pipelines/b.yaml",
          message: "config/formferry.yaml has no service `nowhere`.",
          suggestion: "Its services are: `practice` and `live`.",
        }),
      ])
    }))

  it.scoped("broken entries are omitted on request, and the other entries keep their places in the original file", () =>
    Effect.gen(function*() {
      const entries = "    - name: Broken\n      form: Name\n    - name: Full name\n"
      const partly = pipelineYaml("partly").replace("    - name: Full name\n", entries)
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml,
        "pipelines/partly.yaml": `${partly}reconcile: { lateWithn: 5 minutes }\n`,
        "pipelines/wrong.yaml": partly.replace("partly", "wrong").replace("rowKey", "rowKy"),
      })
      const { pipelines } = yield* loadProject(root, { pipelines: ["partly"], withoutBroken: true })
      const pipeline = pipelines.get("partly")
      const [entry, ...more] = pipeline?.mapping.questions ?? []
      expect([entry?.name, entry?.path, more]).toEqual(["Full name", ["mapping", "questions", 1], []])
      expect(pipeline?.document.at(entry?.path ?? [])).toMatchObject({ line: 9, excerpt: "    - name: Full name" })
      expect(yield* diagnosticsOf(loadProject(root, { pipelines: ["wrong"], withoutBroken: true }))).toHaveLength(2)
    }))

  it.scoped("mistakes in the project file and in pipelines are reported together", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml + "ledgr: { file: x }\n",
        "pipelines/broken.yaml": broken,
      })
      const error = yield* Effect.flip(loadProject(root))
      expect(error._tag).toBe("ConfigurationInvalid")
      expect(error.message.split("\n")).toEqual([
        "config/formferry.yaml:7:1: `ledgr` is not a key of the project file.",
        "  ledgr: { file: x }",
        "  Did you mean `ledger`?",
        "pipelines/broken.yaml:4:3: `roKey` is not a key of `source`.",
        "    roKey: [Id]",
        "  Did you mean `rowKey`?",
      ])
    }))
})

/** Returns the key of the service `live`, which is looked up when needed. */
const keyOf = (project: Project) => {
  const service = project.services.get("live")
  return service?._tag === "Live" ? service.apiKey : Effect.dieMessage("no live service")
}

const withVariables = (variables: Readonly<Record<string, string>>) =>
  Layer.setConfigProvider(ConfigProvider.fromMap(new Map(Object.entries(variables))))

describe("a service's key", () => {
  const cases: ReadonlyArray<
    readonly [
      name: string,
      variables: Readonly<Record<string, string>>,
      dotenv: string | undefined,
      key: string | undefined,
    ]
  > = [
    ["comes from the environment", { FORM_SERVICE_API_KEY: "env-key" }, "FORM_SERVICE_API_KEY=file-key", "env-key"],
    ["comes from .env if the environment has none", {}, "# keys\nFORM_SERVICE_API_KEY='file-key'\n", "file-key"],
    [
      "comes from .env if the environment's is empty",
      { FORM_SERVICE_API_KEY: "" },
      "FORM_SERVICE_API_KEY=file-key",
      "file-key",
    ],
    ["that is nowhere is an error when it is needed", {}, undefined, undefined],
    ["that is empty is missing", {}, "FORM_SERVICE_API_KEY=\n", undefined],
    ["with a line break inside is no key", { FORM_SERVICE_API_KEY: "one\ntwo" }, undefined, undefined],
  ]
  for (const [name, variables, dotenv, expected] of cases) {
    it.scoped(`a key ${name}`, () =>
      Effect.gen(function*() {
        const root = yield* projectFolder({
          "config/formferry.yaml": projectYaml,
          ...(dotenv === undefined ? {} : { ".env": dotenv }),
        })
        const project = yield* loadProject(root)
        const key = yield* Effect.exit(keyOf(project))
        if (expected !== undefined) {
          expect(Exit.map(key, Redacted.value)).toEqual(Exit.succeed(expected))
        } else {
          const error = yield* Effect.flip(keyOf(project))
          expect(error.diagnostics).toEqual([
            expect.objectContaining({ file: "config/formferry.yaml", line: 6, column: 20 }),
          ])
          expect(error.message).not.toMatch(/one|two/)
        }
        expect(JSON.stringify(project) + String(key)).not.toMatch(/env-key|file-key/)
      }).pipe(Effect.provide(Layer.provideMerge(platform, withVariables(variables)))))
  }

  it.scoped("a key is read from a file without its line ending, and a missing file is an error when the key is needed", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml.replace("{ env: FORM_SERVICE_API_KEY }", "{ file: ../secret/key }"),
        "secret/key": "file-key\r\n",
      })
      const project = yield* loadProject(root)
      expect(Redacted.value(yield* keyOf(project))).toBe("file-key")
      const fs = yield* FileSystem.FileSystem
      yield* fs.remove(`${root}/secret/key`)
      const again = yield* loadProject(root)
      expect((yield* Effect.flip(keyOf(again))).diagnostics[0]).toMatchObject({ line: 6, column: 21 })
    }).pipe(Effect.provide(platform)))

  it.scoped("a key is not copied from .env into the process's environment", () =>
    Effect.gen(function*() {
      const root = yield* projectFolder({
        "config/formferry.yaml": projectYaml.replace("FORM_SERVICE_API_KEY", "FORMFERRY_TEST_ONLY_KEY"),
        ".env": "FORMFERRY_TEST_ONLY_KEY=file-key",
      })
      expect(Redacted.value(yield* keyOf(yield* loadProject(root)))).toBe("file-key")
      // The default provider reads the process's environment.
      const own = yield* Effect.option(ConfigProvider.fromEnv().load(Config.string("FORMFERRY_TEST_ONLY_KEY")))
      expect(own._tag).toBe("None")
    }).pipe(Effect.provide(platform)))
})
