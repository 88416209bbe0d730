import * as Schema from "effect/Schema"
import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import { quoted, suggest } from "./suggestion.ts"

/** A mistake in a configuration file, at an offset of its text. */
export interface Finding {
  readonly offset: number
  readonly message: string
  readonly suggestion?: string | undefined
}

const listsOfProject = { services: "service", connections: "connection", valueSets: "value set" } as const

/** Returns the finding about a name that is not in a list of the project file. */
export const notInProject = (
  list: keyof typeof listsOfProject,
  name: string,
  known: ReadonlyArray<string>,
  offset: number,
): Finding => ({
  offset,
  message: `config/formferry.yaml has no ${listsOfProject[list]} ${quoted(name)}.`,
  suggestion: suggest(name, known, `Its ${listsOfProject[list]}s are`) ?? `Add it under \`${list}\`.`,
})

/** A configuration file whose lines are shown in diagnostics. */
export interface Document {
  /** The path from the project's folder, with slashes: `pipelines/contacts.yaml`. */
  readonly file: string
  /** The file's text, without a byte order mark. */
  readonly text: string
  /** Returns the place of a path's value, or of the key that names it. If the path does not exist, returns the place of the nearest parent. Lines and columns are counted from 1. */
  readonly at: (
    path: YamlPath,
    point?: "key" | "value",
  ) => { readonly line: number; readonly column: number; readonly excerpt: string }
}

/**
 * Returns a diagnostic about a path of a configuration file.
 *
 * @param suggestion a sentence that says what would be correct
 * @param at whether to point at the path's key or at its value; default: the key of a whole section, and the value of anything smaller
 */
export const diagnosticAt = (
  document: Document,
  severity: Diagnostic["severity"],
  path: YamlPath,
  message: string,
  suggestion?: string,
  at: "key" | "value" = path.length === 1 ? "key" : "value",
): Diagnostic => ({ severity, file: document.file, ...document.at(path, at), message, suggestion })

/** Returns an error about a whole file. */
export const aboutFile = (file: string, message: string, suggestion?: string): Diagnostic => ({
  severity: "error",
  file,
  line: 1,
  column: 1,
  excerpt: "",
  message,
  suggestion,
})

export const DiagnosticSchema: Schema.Schema<Diagnostic> = Schema.Struct({
  severity: Schema.Literal("error", "warning"),
  file: Schema.String,
  line: Schema.Number,
  column: Schema.Number,
  excerpt: Schema.String,
  message: Schema.String,
  suggestion: Schema.optional(Schema.String),
})

const asText = ({ file, line, column, excerpt, message, suggestion }: Diagnostic): string =>
  [
    `${file}:${line}:${column}: ${message}`,
    ...(excerpt === "" ? [] : [`  ${excerpt}`]),
    ...(suggestion === undefined ? [] : [`  ${suggestion}`]),
  ].join("\n")

/** Configuration files can't be used (exit code 2). Contains every mistake. */
export class ConfigurationInvalid extends Schema.TaggedError<ConfigurationInvalid>()("ConfigurationInvalid", {
  diagnostics: Schema.Array(DiagnosticSchema),
}) {
  override get message() {
    return this.diagnostics.map(asText).join("\n")
  }
}

/** There is no project in a folder, nor in any folder above it (exit code 2). */
export class ProjectNotFound extends Schema.TaggedError<ProjectNotFound>()("ProjectNotFound", {
  /** The folder in which the search started. */
  start: Schema.String,
  /** Whether `--project` named the folder, so that no folder above it was searched. */
  isNamed: Schema.optional(Schema.Boolean),
  /** Says why the nearest config/formferry.yaml can't be reached. Undefined if it can, or if there is none. */
  unreadable: Schema.optional(Schema.String),
}) {
  override get message() {
    if (this.unreadable !== undefined) return `${this.unreadable} Correct this, or name a project with --project DIR.`
    return this.isNamed === true
      ? `There is no config/formferry.yaml in ${this.start}. --project names the folder that contains config/.`
      : `There is no config/formferry.yaml in ${this.start} or in a folder above it. Go to a project's folder, name it with --project DIR, `
        + "or create one with formferry init."
  }
}

/** The project has no pipeline with this name (exit code 2). */
export class PipelineUnknown extends Schema.TaggedError<PipelineUnknown>()("PipelineUnknown", {
  names: Schema.Array(Schema.String),
  known: Schema.Array(Schema.String),
  /** The files with the requested name, and the names of their pipelines. */
  files: Schema.optional(
    Schema.Array(Schema.Struct({ asked: Schema.String, file: Schema.String, name: Schema.String })),
  ),
}) {
  override get message() {
    return this.names.map((name) => {
      const there = this.files?.find(({ asked }) => asked === name)
      if (there !== undefined) {
        return `There is no pipeline ${quoted(name)}: the one in ${there.file} is called ${quoted(there.name)}.`
      }
      const hint = this.known.length === 0
        ? "The folder pipelines/ has no pipeline yet: each is a file whose name ends in .yaml."
        : suggest(name, this.known, "Pipelines are") ?? ""
      return `There is no pipeline ${quoted(name)}. ${hint}`.trim()
    }).join("\n")
  }
}
