import { Schema } from "effect"
import { expecting, needed, optional } from "./annotated.ts"
import { Path } from "./scalars.ts"

/** Where a source's rows are: a path or an address, several files of one header, or those that a pattern finds. */
export type SourceFiles = string | ReadonlyArray<string> | {
  readonly glob: string
  readonly take: "all" | "newest"
}

const File = Schema.String.pipe(
  Schema.pattern(
    /^(?:https:\/\/[^/\s]|http:\/\/(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?\/|(?![A-Za-z][A-Za-z0-9+.-]+:\/\/)[^])/,
  ),
).annotations(expecting("a path, relative to this file, or an https:// address"))

const Files = Schema.NonEmptyArray(File).annotations(expecting("a list of paths"))

const Pattern = Schema.Struct({
  glob: needed(Path, { description: "A pattern of paths, relative to this file", examples: ["kobo-*.csv"] }),
  take: optional(Schema.Literal("all", "newest"), {
    description:
      "All files that match, one after the other, or only the newest: by the date in its name (2026-11-20, 20261120), where all have one, else by its time of change",
    default: "all",
  }),
})

/** The value of `source.file`. */
export const SourceFile = Schema.Union(File, Files, Pattern).annotations(
  expecting("a path, an https:// address, a list of them, or { glob: PATTERN, take: newest }"),
)

/** @param resolve a path as the file gives it → absolute */
export const sourceFilesOf = (
  file: Schema.Schema.Type<typeof SourceFile>,
  resolve: (path: string) => string,
): SourceFiles => {
  const one = (path: string) => /^https?:\/\//.test(path) ? path : resolve(path)
  return typeof file === "string"
    ? one(file)
    : "glob" in file
    ? { glob: resolve(file.glob), take: file.take ?? "all" }
    : file.map(one)
}
