import { FileSystem } from "@effect/platform"
import { Effect, Option } from "effect"
import picomatch from "picomatch"
import type { SourceFiles } from "../project/sourceFiles.ts"
import { dateInName } from "./dateInName.ts"
import { limits, thousands } from "./limits.ts"
import { SourceError } from "./Source.ts"

/** Files to read, and how they were found, if that is to be said. */
export interface FoundFiles {
  readonly files: ReadonlyArray<string>
  readonly said: string | undefined
}

/** Slashes whatever the system, as patterns have them. */
const slashed = (path: string) => path.replaceAll("\\", "/")

const matching = (glob: string) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const pattern = slashed(glob)
    const { base, glob: rest } = picomatch.scan(pattern)
    const refuse = (message: string) => new SourceError({ file: glob, message })
    if (rest === "") return (yield* Effect.orElseSucceed(fs.exists(glob), () => false)) ? [glob] : []
    const names = yield* fs.readDirectory(base, { recursive: /\/|\*\*/.test(rest) }).pipe(
      Effect.mapError(() => refuse(`There is no folder ${base} that can be read. Correct \`source.file.glob\`.`)),
    )
    const matches = picomatch(rest)
    const found = names.map(slashed).filter((name) => matches(name)).map((name) => `${base.replace(/\/$/, "")}/${name}`)
    const files = yield* Effect.filter(found, (file) =>
      fs.stat(file).pipe(Effect.map((info) => info.type === "File"), Effect.orElseSucceed(() => false)))
    if (files.length > limits.files) {
      return yield* refuse(`${glob} finds more than ${thousands(limits.files)} files. Narrow \`source.file.glob\`.`)
    }
    return files.sort(new Intl.Collator("en", { numeric: true }).compare)
  })

/**
 * The newest file: by the date in its name, where each of them has one, for a copy changes the time of change and not the name; else the one that changed last. Of several with
 * one date the one that changed last, of several that changed at once the last by name.
 */
const newest = (files: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const fs = yield* FileSystem.FileSystem
    const dates = files.map(dateInName)
    const dated = dates.every((date) => date !== undefined)
    let best: { readonly file: string; readonly date: string; readonly at: number } | undefined
    for (const [index, file] of files.entries()) {
      const at = yield* fs.stat(file).pipe(
        Effect.map((info) => Option.match(info.mtime, { onNone: () => 0, onSome: (time) => time.getTime() })),
        Effect.orElseSucceed(() => 0),
      )
      const date = dated ? dates[index] ?? "" : ""
      if (best === undefined || date > best.date || (date === best.date && at >= best.at)) best = { file, date, at }
    }
    return { files: best === undefined ? [] : [best.file], by: dated ? "the date in its name" : "its time of change" }
  })

/** The files that a pipeline's source names, in order: of a pattern those that it finds, by name, numbers in them by their value. */
export const findFiles = (where: SourceFiles): Effect.Effect<FoundFiles, SourceError, FileSystem.FileSystem> =>
  Effect.gen(function*() {
    if (typeof where === "string") return { files: [where], said: undefined }
    if (!("glob" in where)) return { files: where, said: undefined }
    const all = yield* matching(where.glob)
    if (all.length === 0) {
      const message = `No file matches ${where.glob}. Correct \`source.file.glob\`, or put the file there.`
      return yield* new SourceError({ file: where.glob, message })
    }
    const count = all.length === 1 ? "the only file" : `${thousands(all.length)} files`
    if (where.take !== "newest") {
      return { files: all, said: `${count} that ${all.length === 1 ? "matches" : "match"}` }
    }
    const { by, files } = yield* newest(all)
    const said = all.length === 1 ? "the only file that matches" : `the newest of ${count} that match, by ${by}`
    return { files, said }
  })
