import { FileSystem, Path } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { describe, expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { folderStore } from "../../src/practice/store.ts"

const stored = (id: string) => ({ id, time: 0, json: JSON.stringify({ submissionId: id, name: "Ä" }) })

describe("the practice service's folder", () => {
  layer(NodeContext.layer)((it) => {
    it.scoped("the store's folder is made readable by its owner only, even if it already exists", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folder = `${yield* fs.makeTempDirectoryScoped()}/store`
        yield* fs.makeDirectory(folder)
        yield* fs.chmod(folder, 0o755)
        yield* fs.writeFileString(`${folder}/old.jsonl`, "")
        yield* fs.chmod(`${folder}/old.jsonl`, 0o644)
        const store = yield* folderStore(folder)
        yield* store.append("new", [stored("1")])
        const modes = yield* Effect.forEach(["", "/old.jsonl", "/new.jsonl"], (name) => fs.stat(folder + name))
        expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o600, 0o600])
      }))

    it.scoped("the store contains every form's submissions in order after a restart", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folder = `${yield* fs.makeTempDirectoryScoped()}/deep/store`
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* folderStore(folder)
          yield* store.append("a/b", [stored("1"), stored("2")])
          yield* Effect.all(
            Array.from({ length: 20 }, (_, n) => store.append("c", [stored(`x${n}`), stored(`y${n}`)])),
            { concurrency: "unbounded" },
          )
        }))
        const store = yield* folderStore(folder)
        yield* store.append("a/b", [stored("3")])
        expect(store.all("a/b")).toEqual([stored("1"), stored("2"), stored("3")])
        expect(store.all("c")).toHaveLength(40)
        expect(store.get("c", "y7")).toEqual(stored("y7"))
        expect(store.get("a/b", "y7")).toBeUndefined()
        expect(store.all("other")).toEqual([])
      }))

    it.scoped("a removed submission stays removed after a restart", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* Effect.scoped(Effect.gen(function*() {
          const store = yield* folderStore(folder)
          yield* store.append("f", [stored("1"), stored("2")])
          yield* store.remove("f", "1")
          expect(store.all("f")).toEqual([stored("2")])
        }))
        const store = yield* folderStore(folder)
        expect(store.all("f")).toEqual([stored("2")])
        expect(store.byTime("f")).toEqual([stored("2")])
      }))

    it.scoped("the store sorts by submission time after a restart", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        const at = (id: string, year: number) => {
          const submissionTime = new Date(Date.UTC(year)).toISOString()
          return { id, time: Date.UTC(year), json: JSON.stringify({ submissionId: id, submissionTime }) }
        }
        yield* Effect.scoped(
          Effect.flatMap(folderStore(folder), (store) => store.append("f", [at("late", 2024), at("early", 2020)])),
        )
        const store = yield* folderStore(folder)
        expect(store.byTime("f")).toEqual([at("early", 2020), at("late", 2024)])
      }))

    it.scoped("the store drops an incomplete last line, and appends after the line before it", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const folder = yield* fs.makeTempDirectoryScoped()
        const file = path.join(folder, "f.jsonl")
        yield* fs.writeFileString(file, `${stored("1").json}\n${stored("2").json.slice(0, 12)}`)
        yield* Effect.scoped(Effect.flatMap(folderStore(folder), (store) => store.append("f", [stored("3")])))
        expect((yield* folderStore(folder)).all("f")).toEqual([stored("1"), stored("3")])
        expect(yield* fs.readFileString(file)).toBe(`${stored("1").json}\n${stored("3").json}\n`)
      }))

    it.scoped("a line that is not a submission is refused, and the message names its place", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const folder = yield* fs.makeTempDirectoryScoped()
        yield* fs.writeFileString(`${folder}/f.jsonl`, `${stored("1").json}\nhello\n`)
        const error = yield* Effect.flip(folderStore(folder))
        expect(error).toMatchObject({ _tag: "StoreUnusable", reason: "line 2 of f.jsonl is not a submission" })
      }))

    it.scoped("a store's folder that can't be created is named in the error", () =>
      Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const file = yield* fs.makeTempFileScoped()
        const error = yield* Effect.flip(folderStore(`${file}/store`))
        expect(error.message).toContain(`${file}/store`)
      }))
  })
})
