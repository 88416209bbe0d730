import { FileSystem } from "@effect/platform"
import { Effect, Either } from "effect"
import { createHash } from "node:crypto"
import { linkSync, mkdirSync, readFileSync, symlinkSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { gzipSync } from "node:zlib"
import { describe, expect, it, vi } from "vitest"
import type { SourceConfig } from "../../src/project/Pipeline.ts"
import { resolved } from "../../src/project/sourceSection.ts"
import { findFiles } from "../../src/source/findFiles.ts"
import { limits } from "../../src/source/limits.ts"
import { openSource } from "../../src/source/openSource.ts"
import { isLong, seeds } from "../long.ts"
import { config, file, read, readAll, refusal, run } from "./opening.ts"
import { row, text, xlsx, zip } from "./workbooks.ts"

const csv = "id,name\n1,Ada\n2,Bob\n"
const rows = [["1", "Ada"], ["2", "Bob"]]
const taken = (all: Awaited<ReturnType<typeof both>>) =>
  Object.fromEntries(all.files[0]!.file.taken.map(({ what, value }) => [what, value]))
const both = (path: string, said = {}, options = {}) => run(read(config(path, said), options))

/** Writes a folder with these files. Returns its path. */
const folderOf = (files: Readonly<Record<string, string>>) => {
  const folder = file("").replace(/\.csv$/, "-files")
  mkdirSync(folder)
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true })
    writeFileSync(join(folder, name), content)
  }
  return folder
}

describe("a gzip archive", () => {
  it("a gzip archive is recognised by its content, is read wherever its blocks end, and has the digest of the archive", async () => {
    const content = gzipSync(csv)
    for (let blockSize = 1; blockSize < content.length; blockSize += seeds(5, 1)) {
      const all = await both(file(content, "csv.gz"), {}, { blockSize })
      expect(all.rows).toEqual(rows)
      expect(taken(all)).toMatchObject({ format: "csv (by its content)", archive: "gzip" })
      expect(all.files[0]?.file).toMatchObject({
        bytes: content.length,
        sha256: createHash("sha256").update(content).digest("hex"),
      })
    }
    const several = await both(file(Buffer.concat([gzipSync("id,name\n1,Ada\n"), gzipSync("2,Bob\n")]), "gz"))
    expect(several.rows).toEqual(rows)
  })

  it("a gzip archive is refused if it is truncated or damaged, and its rows never count as complete", async () => {
    const content = gzipSync(
      `id,name\n${Array.from({ length: 3000 }, (_, at) => `${at},${at * 7919 % 1000}`).join("\n")}`,
    )
    for (const share of [0.3, 0.6, 0.99]) {
      expect(await refusal(config(file(content.subarray(0, content.length * share), "gz")))).toContain(
        "is damaged or cut short",
      )
    }
    const damaged = Buffer.from(content)
    damaged[content.length >> 1]! ^= 0x10
    expect(await refusal(config(file(damaged, "gz")))).toContain("is damaged or cut short")
  })

  it("a gzip archive may be followed by zeros, but not by data that would be lost", async () => {
    const content = gzipSync(csv)
    for (let blockSize = 1; blockSize < 100; blockSize += seeds(31, 9)) {
      const padded = file(Buffer.concat([content, Buffer.alloc(40)]), "gz")
      expect((await both(padded, {}, { blockSize })).rows).toEqual(rows)
      for (
        const more of [Buffer.from("garbage"), content.subarray(3), content.subarray(0, 12), Buffer.from([0, 0, 7])]
      ) {
        expect(await refusal(config(file(Buffer.concat([content, more]), "gz")), { blockSize })).toContain(
          "is damaged or cut short",
        )
      }
    }
  })
})

describe("a zip archive", () => {
  it("a zip archive is read as the only file in it that may contain rows", async () => {
    const content = zip({ "readme.pdf": "%PDF", "answers/answers.csv": csv, "__MACOSX/._answers.csv": "x" })
    for (let blockSize = 1; blockSize < content.length; blockSize += seeds(45, 11)) {
      const all = await both(file(content, "zip"), {}, { blockSize })
      expect(all.rows).toEqual(rows)
      expect(taken(all).archive).toBe("zip, answers/answers.csv")
    }
  })

  it("a document of Numbers is refused", async () => {
    const content = zip({ "Index/Document.iwa": "x", "Metadata/Properties.plist": "x" })
    expect(await refusal(config(file(content, "numbers")))).toContain("is a document of Numbers or a similar")
    const beside = file(zip({ "survey.numbers/Index/Document.iwa": "x", "answers.csv": csv }), "zip")
    expect((await both(beside)).rows).toEqual(rows)
  })

  it("the named member of a zip archive with several files is read", async () => {
    const content = file(zip({ "a.csv": csv, "b.csv": "id,name\n3,Cid\n" }), "zip")
    expect(await refusal(config(content))).toContain(
      'contains several files: "a.csv", "b.csv". Name the one to read: `member: …`',
    )
    expect((await both(content, { member: "b.csv" })).rows).toEqual([["3", "Cid"]])
    expect(await refusal(config(content, { member: "c.csv" }))).toContain(
      'contains no "c.csv", only ',
    )
    expect(await refusal(config(file(csv), { member: "a.csv" }))).toContain("is not a zip archive")
  })

  it("a member's name may be in code page 437", async () => {
    const written = zip({ "answers_AA.csv": csv, "answers_BB.csv": "id,name\n3,Cid\n" }).toString("latin1")
      .replaceAll("_AA", "_\x84\x84").replaceAll("_BB", "_\x94\x94")
    const path = file(Buffer.from(written, "latin1"), "zip")
    expect(await refusal(config(path))).toContain('several files: "answers_ää.csv", "answers_öö.csv"')
    expect((await both(path, { member: "answers_öö.csv" })).rows).toEqual([["3", "Cid"]])
  })

  it.each([["a.csv", "a.csv"], ["A.csv", "a.csv"]])(
    "a zip archive is refused if two members have the name that the pipeline gives: %s and %s",
    async (first, second) => {
      const written = zip({ "1.csv": csv, "2.csv": "id,name\n3,Cid\n" }).toString("latin1")
        .replaceAll("1.csv", first).replaceAll("2.csv", second)
      const path = file(Buffer.from(written, "latin1"), "zip")
      const member = first === second ? first : "a.CSV"
      expect(await refusal(config(path, { member }))).toContain(`contains 2 files with the name "${member}"`)
    },
  )

  it("the other files of a zip archive that may contain rows are named as not read", async () => {
    const content = zip({
      "a.csv": csv,
      "b.json": "[]",
      "readme.pdf": "%PDF",
      "c/b.csv.gz": csv,
      "__MACOSX/a.csv": "x",
    })
    const all = await both(file(content, "zip"), { member: "a.csv" })
    expect(all.files[0]?.file.unread).toEqual([{ what: "file", name: "b.json" }, { what: "file", name: "c/b.csv.gz" }])
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`${at}.csv`, csv]))
    const { unread = [] } = (await both(file(zip(many), "zip"), { member: "0.csv" })).files[0]?.file ?? {}
    expect(unread).toHaveLength(51)
    expect(unread.at(-1)).toEqual({ what: "file", name: "9 others" })
  })

  it("a zip archive may contain a workbook or a gzip archive", async () => {
    const book = zip(xlsx([{ name: "Rows", rows: row(1, text("id"), text("name")) + row(2, text("1"), text("Ada")) }]))
    expect((await both(file(zip({ "book.xlsx": book }), "zip"))).rows).toEqual([["1", "Ada"]])
    const { "xl/workbook.xml": unusual, ...rest } = xlsx([{
      name: "Rows",
      rows: row(1, text("id"), text("name")) + row(2, text("1"), text("Ada")),
    }])
    const odd = zip({ "package.rels": "x", ...rest, "xl/workbook.xml": unusual! })
    expect((await both(file(zip({ "book.xlsx": odd }), "zip"))).rows).toEqual([["1", "Ada"]])
    expect((await both(file(gzipSync(odd), "xlsx.gz"))).rows).toEqual([["1", "Ada"]])
    expect((await both(file(zip({ "a.csv.gz": gzipSync(csv) }), "zip"))).rows).toEqual(rows)
  })

  it("a zip archive is refused if its paths lead outside, its sizes are false, it is damaged, or it is a bomb", async () => {
    expect(await refusal(config(file(zip({ "../../etc/answers.csv": csv }), "zip")))).toContain(
      "whose path leads out of the archive",
    )
    expect(await refusal(config(file(zip({ "/answers.csv": csv }), "zip")))).toContain("whose path leads out")
    expect(await refusal(config(file(zip({ "C:\\answers.csv": csv }), "zip")))).toContain("whose path leads out")
    expect(await refusal(config(file(zip({ "a.csv": csv }, (size) => size + 1), "zip")))).toContain(
      "does not match the archive's own table of contents",
    )
    expect(await refusal(config(file(zip({ "a.csv": csv }, (size) => size - 1), "zip")))).toContain(
      "does not match the archive's own table of contents",
    )
    const whole = zip({ "a.csv": csv.repeat(50) })
    expect(await refusal(config(file(whole.subarray(0, whole.length - 30), "zip")))).toContain("damaged or cut short")
    const damaged = Buffer.from(whole)
    damaged[45]! ^= 0x20
    expect(await refusal(config(file(damaged, "zip")))).toMatch(/damaged/)
    expect(await refusal(config(file(zip({ "a.csv": "a,b\n".repeat(17_000_000) }), "zip")))).toContain(
      "far more bytes than any ordinary file",
    )
    const lying = zip({ "a.csv": "a,b\n".repeat(17_000_000) }, () => 1000)
    expect(await refusal(config(file(lying, "zip")))).toMatch(
      /does not match the archive's own table of contents|far more bytes than any ordinary file/,
    )
  })
})

describe("a zip archive or a workbook with bytes after its end", () => {
  const book = zip(xlsx([{ name: "Rows", rows: row(1, text("id"), text("name")) + row(2, text("1"), text("Ada")) }]))

  it.each([["zip", zip({ "a.csv": csv })], ["xlsx", book]])(
    "a file .%s may be followed by zeros, but not by data that would be lost",
    async (extension, content) => {
      const after = (more: string) => config(file(Buffer.concat([content, Buffer.from(more, "latin1")]), extension))
      expect((await run(read(after("\0".repeat(100))))).rows[0]?.[1]).toBe("Ada")
      for (const more of ["3,Cid\n", "x".repeat(500), "\0\0x"]) {
        expect(await refusal(after(more))).toContain("has data after its end")
      }
    },
  )

  it("a zip archive may have a comment at its end", async () => {
    const content = zip({ "a.csv": csv })
    content.writeUInt16LE(5, content.length - 2)
    const commented = (comment: string) => file(Buffer.concat([content, Buffer.from(comment)]), "zip")
    expect((await both(commented("hello"))).rows).toEqual(rows)
    expect(await refusal(config(commented("hello you")))).toContain("has data after its end")
    expect(await refusal(config(commented("hell")))).toContain("damaged or cut short")
  })
})

describe("a source of several files", () => {
  const folder = folderOf({
    "kobo-2.csv": "id,name\n2,Bob\n3,Cid,x\n",
    "kobo-10.csv": "id,name\n4,Dan\n",
    "kobo-1.csv": "id,name\n1,Ada\n",
    "deep/kobo-3.csv": "id,name\n9,Zoe\n",
    "other.txt": "x",
  })
  const at = (...names: ReadonlyArray<string>) => names.map((name) => join(folder, name))

  it("a source of several files has continuing row numbers, a digest for each file, and problems that name their file", async () => {
    const all = await run(read(config("", { file: at("kobo-1.csv", "kobo-2.csv", "kobo-10.csv") })))
    expect(all.rows).toEqual([["1", "Ada"], ["2", "Bob"], ["3", "Cid", "x"], ["4", "Dan"]])
    expect(all.files.map(({ file: { file: path, rows: count } }) => [path, count])).toEqual([
      [join(folder, "kobo-1.csv"), 1],
      [join(folder, "kobo-2.csv"), 2],
      [join(folder, "kobo-10.csv"), 1],
    ])
    for (const { file: { file: path, sha256 } } of all.files) {
      expect(sha256).toBe(createHash("sha256").update(readFileSync(path)).digest("hex"))
    }
    expect([...all.faults]).toEqual([[3, expect.stringMatching(/^In .*kobo-2\.csv: Row 2 \(line 3\) has 3 cells/)]])
  })

  it("a source of several files has the same fingerprints in a second reading, and is refused if any file changed", async () => {
    const paths = [file("id\n1\n"), file("id\n2\n"), file("id\n3\n")]
    await run(Effect.gen(function*() {
      const source = yield* openSource(config("", { file: paths }))
      const first = yield* readAll(source)
      const fingerprints = (yield* source.files).map(({ fingerprint }) => fingerprint)
      expect((yield* readAll(source, fingerprints)).rows).toEqual(first.rows)
      writeFileSync(paths[1]!, "id\n7\n")
      const again = yield* Effect.either(readAll(source, fingerprints))
      expect(Either.isLeft(again) && again.left._tag).toBe("SourceChanged")
    }))
  })

  it("a source of several files is refused if rows have no key and two files have the same rows", async () => {
    const [rows, same, more] = ["id\n1\n", "id\n1\n", "id\n2\n"].map((text) => file(text))
    const [none, nothing] = ["id\n", "id\n"].map((text) => file(text))
    const source = (files: ReadonlyArray<string | undefined>, rowKey: SourceConfig["rowKey"] = "content") =>
      config("", { file: files.filter((one) => one !== undefined), rowKey })
    expect(await refusal(source([rows, more, rows]))).toContain(
      "is named twice, so each of its rows would be sent twice",
    )
    expect(await refusal(source([rows, more, same]))).toContain(`has the same content as ${rows}`)
    expect((await run(read(source([rows, none, more, nothing])))).rows).toEqual([["1"], ["2"]])
    expect((await run(read(source([rows, same], [{ name: "id", path: ["source", "rowKey", 0] }])))).rows).toEqual([[
      "1",
    ], ["1"]])
  })

  it("a source of several files is refused if they have different columns, and the message names the difference", async () => {
    const message = await refusal(config("", { file: [file("id,name\n1,Ada\n"), file("id,Name\n1,Ada\n")] }))
    expect(message).toMatch(/has different columns from .*: column 2 is "Name", not "name"\./)
    expect(await refusal(config("", { file: [file("id\n1\n"), file("id,b\n1,2\n")] }))).toContain(
      'column 2 is "b", not missing',
    )
  })

  it("a source of several files is refused if a form tool wrote them in different layouts, because their cells may differ in meaning", async () => {
    const codes = file("id,submitdate,lastpage,startlanguage,Q1\n1,2026-01-01 10:00:00,3,en,fine\n")
    const vv = file(
      "Response ID\tDate submitted\tLast page\tStart language\tYour comment\nid\tsubmitdate\tlastpage\tstartlanguage\tQ1\n"
        + "2\t2026-01-02 10:00:00\t3\ten\tline one{newline}line two\n3\t2026-01-02 11:00:00\t3\ten\t{question_not_shown}\n",
      "txt",
    )
    expect(await refusal(config("", { file: [codes, vv] }))).toBe(
      `${vv} is an export of LimeSurvey (VV), but ${codes} is one with a different layout (codes), so their cells may differ in meaning. `
        + "Export all files in the same way, or give the others their own pipeline.",
    )
  })

  it("each row of a source of several files is cleaned by what its own file shows about the column", async () => {
    const [ticks, labels] = ["Yes", "Never"].map((other) =>
      file(`id,submitdate,lastpage,startlanguage,Often [A],Often [B]\n1,,1,en,N/A,No\n2,,1,en,${other},No\n`)
    )
    for (const files of [[ticks, labels], [labels, ticks]]) {
      const { rows, source } = await run(read(config("", { file: files.filter((one) => one !== undefined) })))
      const cleaned = rows.map((row) => source.tool?.clean(row)[4])
      expect(cleaned).toEqual(files[0] === ticks ? [null, "Yes", "N/A", "Never"] : ["N/A", "Never", null, "Yes"])
    }
  })

  it("the number of listed files is limited, and a folder that contains a link to its parent is searched only once", async () => {
    const folder = folderOf({ "a/b/1.csv": csv, "a/2.csv": csv })
    symlinkSync(folder, join(folder, "a", "again"))
    const deep = await run(read(config("", { file: { glob: join(folder, "**/*.csv"), take: "all" } })))
    expect(deep.files).toHaveLength(2)
    const listed = Array.from({ length: 10_001 }, (_, at) => `${at}.csv`)
    expect(await refusal(config("", { file: listed }))).toContain("more than 10,000 files")
  })

  it("a pattern that would search more files and folders than allowed is refused, but not one that starts with a small folder", async () => {
    const names = Array.from({ length: 50 }, (_, at) => [`many/${at}.txt`, ""] as const)
    const folder = folderOf({ ...Object.fromEntries(names), "a/2.csv": csv })
    const entries = vi.spyOn(limits, "entries", "get").mockReturnValue(50 as never)
    try {
      expect(await refusal(config("", { file: { glob: join(folder, "**/*.csv"), take: "all" } }))).toMatch(
        /more than 50 files and folders to search\. Narrow `source\.file\.glob`/,
      )
      const shallow = await run(read(config("", { file: { glob: join(folder, "a/*.csv"), take: "all" } })))
      expect(shallow.files).toHaveLength(1)
    } finally {
      entries.mockRestore()
    }
  })

  it.runIf(isLong)("a pattern may match at most 100,000 files and folders", async () => {
    const folder = folderOf({ "a/2.csv": csv })
    for (let at = 0; at < 101; at++) {
      const many = join(folder, "many", String(at))
      mkdirSync(many, { recursive: true })
      const first = join(many, "0.txt")
      writeFileSync(first, "")
      // Creating links takes half the time of creating files.
      for (let file = 1; file < 1_000; file++) linkSync(first, join(many, `${file}.txt`))
    }
    expect(await refusal(config("", { file: { glob: join(folder, "**/*.csv"), take: "all" } }))).toMatch(
      /more than 100,000 files and folders to search\. Narrow `source\.file\.glob`/,
    )
    const shallow = await run(read(config("", { file: { glob: join(folder, "a/*.csv"), take: "all" } })))
    expect(shallow.files).toHaveLength(1)
  })

  it("files can be found by a pattern, and are ordered by names and numbers", async () => {
    const all = await run(read(config("", { file: { glob: join(folder, "kobo-*.csv"), take: "all" } })))
    expect(all.rows.map(([id]) => id)).toEqual(["1", "2", "3", "4"])
    expect(Object.fromEntries(all.source.taken.map(({ what, value }) => [what, value])).files).toBe(
      "3 files that match",
    )
    const deep = await run(read(config("", { file: { glob: join(folder, "**/kobo-*.csv"), take: "all" } })))
    expect(deep.rows).toHaveLength(5)
    expect(await refusal(config("", { file: { glob: join(folder, "none-*.csv"), take: "all" } }))).toContain(
      "No file matches",
    )
    expect(await refusal(config("", { file: { glob: join(folder, "nowhere/*.csv"), take: "all" } }))).toContain(
      "does not exist or can't be read",
    )
  })

  it("a pattern is refused if a matching path is a link to a missing file, but not because of other such links", async () => {
    const linked = folderOf({ "a.csv": csv })
    symlinkSync(join(linked, "missing"), join(linked, "notes.txt"))
    const source = config("", { file: { glob: join(linked, "*.csv"), take: "all" } })
    expect((await run(read(source))).files).toHaveLength(1)
    symlinkSync(join(linked, "missing"), join(linked, "b.csv"))
    expect(await refusal(source)).toMatch(/b\.csv matches `source\.file\.glob`, but can't be read\./)
  })

  it("a pattern is refused if a folder that may contain matching files can't be read, but not because of other folders", async () => {
    const partly = folderOf({ "a1/e.csv": csv, "b/e.csv": csv })
    /** The folder `b` can't be read. Root may read every folder, so its permissions don't matter. */
    const find = (glob: string) =>
      run(Effect.gen(function*() {
        const fs = yield* FileSystem.FileSystem
        const readDirectory = (path: string) => fs.readDirectory(path.endsWith("/b/") ? `${path}missing` : path)
        const found = findFiles({ glob: join(partly, glob), take: "all" })
        return yield* Effect.either(Effect.provideService(found, FileSystem.FileSystem, { ...fs, readDirectory }))
      }))
    for (const glob of ["*/e.csv", "**/*.csv", "{a1,b}/e.csv"]) {
      expect(Either.flip(await find(glob))).toMatchObject({
        right: { message: expect.stringMatching(/\/b\/ can't be read, so files that match may be missing\./) },
      })
    }
    expect(Either.getOrThrow(await find("a*/e.csv")).files).toEqual([`${partly}/a1/e.csv`])
  })

  it("files are found by a pattern if the project's path contains parentheses and brackets", async () => {
    const project = folderOf({ "data (2024) [a] {b}/dump-1.csv": csv, "data (2024) [a] {b}/pipelines/p.yaml": "" })
    const pipelines = join(project, "data (2024) [a] {b}", "pipelines")
    const written = config("", { file: { glob: "../dump-*.csv", take: "all" } })
    const { source } = await run(read(resolved(written, (path) => resolve(pipelines, path), new Map())))
    const version = expect.any(String)
    expect(source.matched).toEqual({
      base: dirname(pipelines),
      all: [{ name: "dump-1.csv", version }],
      read: [version],
    })
  })

  it.each([
    ["answers (1).csv", ["answers (1).csv"]],
    ["answers (*).csv", ["answers (1).csv", "answers (2).csv"]],
    ["answers*(1).csv", ["answers (1).csv"]],
    ["(old)/answers*.csv", ["(old)/answers.csv"]],
    ["answers (*.csv", ["answers (1).csv", "answers (2).csv"]],
    ["answers (1|2).csv", ["answers 1.csv"]],
    ["answers ?(1).csv", ["answers 1.csv", "answers .csv"]],
  ])("parentheses in a pattern are ordinary characters unless they have a meaning: %s", async (glob, names) => {
    const listed = ["answers (1).csv", "answers (2).csv", "answers 1.csv", "answers .csv", "(old)/answers.csv"]
    const folder = folderOf(Object.fromEntries(listed.map((name) => [name, csv])))
    const { files } = await run(findFiles({ folder, glob, take: "all" }))
    expect(files.map((path) => path.slice(folder.length + 1)).toSorted()).toEqual(names.toSorted())
  })

  it("a pattern can be narrowed to the file that changed last", async () => {
    const dumps = folderOf({ "a.csv": "id\na\n", "b.csv": "id\nb\n", "c.csv": "id\nc\n" })
    utimesSync(join(dumps, "a.csv"), 3000, 3000)
    utimesSync(join(dumps, "b.csv"), 9000, 9000)
    utimesSync(join(dumps, "c.csv"), 2000, 2000)
    const take = { file: { glob: join(dumps, "*.csv"), take: "newest" as const } }
    const all = await run(read(config("", take)))
    expect(all.rows).toEqual([["b"]])
    expect(all.source.taken.at(-1)?.value).toBe("the newest of 3 files that match, by its modification time")
    utimesSync(join(dumps, "c.csv"), 9000, 9000)
    expect((await run(read(config("", take)))).rows).toEqual([["c"]])
  })

  it("a pattern does not match a file with which Excel locks a workbook", async () => {
    const folder = folderOf({ "a.csv": csv, "~$a.csv": "Ada", "old/a.csv": csv, "old/~$a.csv": "Ada" })
    const { files } = await run(findFiles({ folder, glob: "**/*.csv", take: "all" }))
    expect(files.map((path) => path.slice(folder.length + 1))).toEqual(["a.csv", "old/a.csv"])
  })

  it.each([
    ["dump-2026-11-19.csv", "dump-2026-11-20.csv", "dump-2026-9-30.csv"],
    ["20261120.csv", "20251231.csv"],
    ["kobo_2026_11_20_0200.csv", "kobo_2026_11_19_2300.csv", "kobo_2026_11_20.csv"],
    ["Form 2026-11-20 01.15 PM.csv", "Form 2026-11-20 11.15 AM.csv", "Form 2026-11-20 12.15 AM.csv"],
    ["Form 2026-11-20 1.15 PM.csv", "Form 2026-11-20 11.15 AM.csv", "Form 2026-11-20 9.15.30 AM.csv"],
    ["Form_2026-11-20_12.15_pm_1.csv", "Form 2026-11-20 11.15am.csv"],
    ["form 2020-01-01, exported 2026-11-20T02.00.15Z.csv", "form 2024-01-01, exported 2026-11-20T02.00.14Z.csv"],
  ])(
    "a pattern can be narrowed to the file with the latest date in its name, if every name has a date: %s",
    async (...names) => {
      const dumps = folderOf(Object.fromEntries(names.map((name, index) => [name, `id\n${index}\n`])))
      // After a copy, modification times are misleading or all alike.
      names.forEach((name, index) => utimesSync(join(dumps, name), 9000 - index, 1000 + index * 1000))
      const found = await run(read(config("", { file: { glob: join(dumps, "*.csv"), take: "newest" } })))
      const latest = names[0] === "dump-2026-11-19.csv" ? 2 : 0
      expect(found.rows).toEqual([[String(latest)]])
      expect(found.source.taken.at(-1)?.value).toContain(
        latest === 2 ? "by its modification time" : "by the date in its name",
      )
    },
  )
})
