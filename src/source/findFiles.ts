import * as FileSystem from "@effect/platform/FileSystem"
import * as Effect from "effect/Effect"
import { resolve } from "node:path"
import picomatch from "picomatch"
import { groupBy } from "../domain/groupBy.ts"
import { count } from "../domain/words.ts"
import type { Pull } from "../project/pull.ts"
import type { SourceFiles } from "../project/sourceSection.ts"
import { lockPrefix, modifiedAt } from "./bytes.ts"
import { limits } from "./limits.ts"
import { type Source, SourceError } from "./Source.ts"

/** Files to read, and how they were found, if that must be shown. */
export interface FoundFiles {
  readonly files: ReadonlyArray<string>
  readonly said: string | undefined
  /** For a pattern: the folder that it searches, and all files that match. */
  readonly matched?: { readonly base: string; readonly all: ReadonlyArray<FoundFile> }
}

/** A file that was found: its path, its size in bytes, and its modification time in milliseconds since 1970, or 0. */
interface FoundFile {
  readonly file: string
  readonly bytes: number
  readonly at: number
}

/** Returns a path with slashes, which patterns use on every system. */
const slashed = (path: string) => path.replaceAll("\\", "/")

/** Returns a pattern in which parentheses are ordinary characters, as in `answers (1).csv`, unless they contain alternatives, or follow `@`, `?`, `+` or `!`. */
const withPlainParentheses = (pattern: string) => pattern.replaceAll(/(?<![@?+!])\(([^()|]*)\)/g, "[(]$1[)]")

/** Returns whether a folder may contain files that match the pattern. */
const mayContain = (rest: string): (folder: string) => boolean => {
  if (/[{(!]/.test(rest)) return () => true
  const parts = rest.split("/")
  const from = parts.findIndex((part) => part.includes("**"))
  return (folder) =>
    folder.split("/").every((name, at) => picomatch.isMatch(name, from !== -1 && at >= from ? "**" : parts[at] ?? ""))
}

/** Returns the paths below a folder, with slashes, to the depth of the pattern. Fails if there are too many paths, or if a folder can't be searched. */
const pathsBelow = (base: string, rest: string, refuse: (message: string) => SourceError) =>
  Effect.gen(function*() {
    const depth = rest.includes("**") ? Infinity : rest.split("/").length
    const matters = mayContain(rest)
    const fs = yield* FileSystem.FileSystem
    const paths: Array<string> = []
    const folders = [{ path: "", depth: 1 }]
    // A folder that links to a parent folder is searched once.
    const seen = new Set<string>()
    for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
      const full = `${base}/${folder.path}`
      const real = yield* Effect.orElseSucceed(fs.realPath(full), () => full)
      if (seen.has(real)) continue
      seen.add(real)
      const names = yield* fs.readDirectory(full).pipe(
        folder.path === ""
          ? Effect.mapError(() =>
            refuse(`The folder ${base} does not exist or can't be read. Correct \`source.file.glob\`.`)
          )
          : Effect.catchAll(() =>
            matters(folder.path.slice(0, -1))
              ? refuse(
                `The folder ${full} can't be read, so files that match may be missing. Correct its permissions, or narrow \`source.file.glob\`.`,
              )
              : Effect.succeed<Array<string>>([])
          ),
      )
      if (paths.length + names.length > limits.entries) {
        return yield* refuse(
          `${base} contains more than ${
            count(limits.entries)
          } files and folders to search. Narrow \`source.file.glob\`: start it with a folder that contains fewer.`,
        )
      }
      for (const name of names) {
        const path = folder.path + name
        paths.push(path)
        if (folder.depth < depth && (yield* statOf(fs, `${base}/${path}`))?.type === "Directory") {
          folders.push({ path: `${path}/`, depth: folder.depth + 1 })
        }
      }
    }
    return paths
  })

const statOf = (fs: FileSystem.FileSystem, path: string) => Effect.orElseSucceed(fs.stat(path), () => undefined)

type Pattern = Extract<SourceFiles, { readonly glob: string }>

/** Returns the folder that a pattern searches, the rest of the pattern, and both. Only what the pipeline says is a pattern: the path of its folder may contain parentheses or brackets. */
const parted = ({ folder = "", glob }: Pattern) => {
  const { base, glob: rest } = picomatch.scan(slashed(glob))
  const searched = slashed(resolve(folder, base)).replace(/\/$/, "")
  return { base: searched, rest, whole: rest === "" ? searched : `${searched}/${rest}` }
}

const matching = ({ base, rest, whole }: ReturnType<typeof parted>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const refuse = (message: string) => new SourceError({ file: whole, message })
    const foundAs = (file: string, info: FileSystem.File.Info): FoundFile => ({
      file,
      bytes: Number(info.size),
      at: modifiedAt(info) ?? 0,
    })
    if (rest === "") {
      const info = yield* statOf(fs, base)
      return info === undefined ? [] : [foundAs(base, info)]
    }
    const matches = picomatch(withPlainParentheses(rest), { ignore: `**/${lockPrefix}*` })
    const files: Array<FoundFile> = []
    for (const path of yield* pathsBelow(base, rest, refuse)) {
      if (!matches(path)) continue
      const file = `${base}/${path}`
      const info = yield* statOf(fs, file)
      if (info === undefined) {
        return yield* refuse(
          `${file} matches \`source.file.glob\`, but can't be read. It may be a link to a missing file. Remove or correct it, or narrow the pattern.`,
        )
      }
      if (info.type === "File") files.push(foundAs(file, info))
    }
    if (files.length > limits.files) {
      return yield* refuse(`${whole} matches more than ${count(limits.files)} files. Narrow \`source.file.glob\`.`)
    }
    const { compare } = new Intl.Collator("en", { numeric: true })
    return files.sort((a, b) => compare(a.file, b.file))
  })

/**
 * Returns the newest file. If every file's name contains a date, that date decides, because copying changes the
 * modification time but not the name. Otherwise, and among equal dates, the modification time decides. If the
 * modification times are also equal, the last file by name is chosen.
 */
const newest = (files: ReadonlyArray<FoundFile>) => {
  const dates = files.map(({ file }) => dateInName(file))
  const dated = dates.every((date) => date !== undefined)
  let best: { readonly file: string; readonly date: string; readonly at: number } | undefined
  for (const [index, { at, file }] of files.entries()) {
    const date = dated ? dates[index] ?? "" : ""
    if (best === undefined || date > best.date || (date === best.date && at >= best.at)) best = { file, date, at }
  }
  return {
    files: best === undefined ? [] : [best.file],
    by: dated ? "the date in its name" : "its modification time",
  }
}

/**
 * Returns the files that match a pattern, named below the pattern's folder, and the versions of those that are read. They remain the same if the project
 * is moved. A file keeps its version if it is copied, which changes its modification time but not a date in its name, and if an undated file is renamed.
 */
export const matchedFiles = (
  { all, base }: NonNullable<FoundFiles["matched"]>,
  read: ReadonlyArray<string>,
): NonNullable<Source["matched"]> => {
  const isRead = new Set(read)
  const below = all.filter(({ file }) => file.startsWith(`${base}/`)).map(({ at, bytes, file }) => {
    const name = file.slice(base.length + 1)
    return { file, name, bytes, stamp: dateInName(file) === undefined ? `${at}` : name }
  })
  const alike = groupBy(below, ({ bytes, stamp }) => `${bytes} ${stamp}`)
  const files = [...alike].flatMap(([version, some]) =>
    some.map(({ file, name }) => ({ file, name, version: some.length === 1 ? version : `${version} ${name}` }))
  )
  return {
    base,
    all: files.map(({ name, version }) => ({ name, version })),
    read: files.filter(({ file }) => isRead.has(file)).map(({ version }) => version),
  }
}

/** Returns the files that a pipeline's source names, in order. Files that match a pattern are sorted by name. Numbers in names are sorted by value. */
export const findFiles = (
  where: Exclude<SourceFiles, Pull>,
): Effect.Effect<FoundFiles, SourceError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    if (typeof where === "string") return { files: [where], said: undefined }
    if (!("glob" in where)) return { files: where, said: undefined }
    const pattern = parted(where)
    const all = yield* matching(pattern)
    if (all.length === 0) {
      const message = `No file matches ${pattern.whole}. Correct \`source.file.glob\`, or put the file there.`
      return yield* new SourceError({ file: pattern.whole, message })
    }
    const matched = { base: pattern.base, all }
    const some = all.length === 1 ? "the only file" : `${count(all.length)} files`
    if (where.take !== "newest") {
      const files = all.map(({ file }) => file)
      return { files, matched, said: `${some} that ${all.length === 1 ? "matches" : "match"}` }
    }
    const { by, files } = newest(all)
    const said = all.length === 1 ? "the only file that matches" : `the newest of ${some} that match, by ${by}`
    return { files, matched, said }
  })

/** A day, with or without a time, as programs write them in names: `2026-11-20`, `20261120`, `2026_11_20T0200`, `2026-11-20 02.00.15`, `2026-11-20 1.15 PM`. */
const dated =
  /(?<!\d)((?:19|20)\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?:[-_.T ]{0,2}([01]\d|2[0-3]|(?<!\d)\d(?=[-_.:][-_.:\d]*[-_. ]?[ap]m(?![a-z])))[-_.:h]?([0-5]\d)(?:[-_.:m]?([0-5]\d))?(?:[-_. ]?([ap])m(?![a-z]))?)?(?!\d)/i

/** Returns the last date in a file's name as digits that sort, or undefined if there is none. */
const dateInName = (path: string): string | undefined => {
  const name = path.replace(/^.*[\\/]/, "")
  const [year = "", , month = "", day = "", hour = "00", minute = "00", second = "00", half] = [
    ...name.matchAll(new RegExp(dated, "gi")),
  ].at(-1)?.slice(1) ?? []
  // 12 AM is midnight, and 12 PM is noon.
  const hours = half === undefined
    ? hour
    : String(Number(hour) % 12 + (half.toLowerCase() === "p" ? 12 : 0)).padStart(2, "0")
  return year === "" ? undefined : year + month + day + hours + minute + second
}
