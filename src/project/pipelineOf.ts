import { Duration } from "effect"
import type { YamlPath } from "../domain/diagnostic.ts"
import type { EntryFile, FromFile, Kinds, PartFile } from "./entrySchema.ts"
import type {
  ColumnName,
  Document,
  Input,
  MappingConfig,
  MappingEntry,
  PartEntry,
  Pipeline,
  SinkConfig,
} from "./Pipeline.ts"
import type { ElementParts, PipelineFile } from "./pipelineSchema.ts"
import { stopDefaults } from "./stopLimit.ts"
import { templatePieces } from "./template.ts"

/** The kinds that a pipeline's entries may be of. */
export interface Vocabulary {
  readonly kinds: Kinds
  readonly elements: ElementParts
}

const columns = (value: string | ReadonlyArray<string>, path: YamlPath): ReadonlyArray<ColumnName> =>
  typeof value === "string" ? [{ name: value, path }] : value.map((name, index) => ({ name, path: [...path, index] }))

const options = (entry: object, keys: Iterable<string>): Readonly<Record<string, unknown>> => {
  const given = entry as Readonly<Record<string, unknown>>
  return Object.fromEntries([...keys].filter((key) => Object.hasOwn(given, key)).map((key) => [key, given[key]]))
}

const partOf = (
  part: string,
  value: string | PartFile,
  path: YamlPath,
  kind: string | undefined,
  { kinds }: Vocabulary,
): PartEntry => {
  if (typeof value === "string") {
    return { part, path, input: { _tag: "Columns", columns: [{ name: value, path }] }, options: {} }
  }
  return {
    part,
    path,
    input: value.value === undefined
      ? { _tag: "Columns", columns: columns(value.from ?? [], [...path, "from"]) }
      : { _tag: "Value", value: value.value },
    options: options(value, Object.keys(kinds.get(kind ?? "")?.options ?? {})),
  }
}

const fromOf = (
  from: FromFile,
  path: YamlPath,
  parts: Readonly<Record<string, string>>,
  vocabulary: Vocabulary,
): Input => {
  if (typeof from === "string" || Array.isArray(from)) {
    return { _tag: "Columns", columns: columns(from as string | ReadonlyArray<string>, path) }
  }
  return {
    _tag: "Parts",
    parts: Object.entries(from as Readonly<Record<string, string | PartFile>>).map(([part, value]) =>
      partOf(part, value, [...path, part], parts[part], vocabulary)
    ),
  }
}

const templateColumns = (template: string, path: YamlPath): ReadonlyArray<ColumnName> =>
  (templatePieces(template) ?? []).flatMap((piece) => "column" in piece ? [{ name: piece.column, path }] : [])

/** @param kind the entry's kind, where it is not told by `as` */
const entryOf = (
  entry: EntryFile,
  path: YamlPath,
  vocabulary: Vocabulary,
  { kind = undefined as string | undefined, parts = undefined as Readonly<Record<string, string>> | undefined } = {},
): MappingEntry => {
  const as = entry.as ?? kind
  const shape = vocabulary.kinds.get(as ?? "")
  const input: Input = entry.value !== undefined
    ? { _tag: "Value", value: entry.value }
    : entry.template !== undefined
    ? { _tag: "Template", template: entry.template, columns: templateColumns(entry.template, [...path, "template"]) }
    : fromOf(entry.from ?? [], [...path, "from"], parts ?? shape?.partKinds ?? {}, vocabulary)
  return {
    path,
    id: entry.id,
    name: entry.name,
    input,
    as,
    options: options(entry, Object.keys(shape?.options ?? {})),
    required: entry.required ?? false,
    default: entry.default,
  }
}

const mappingOf = (mapping: PipelineFile["mapping"], vocabulary: Vocabulary): MappingConfig => {
  const { elements } = vocabulary
  const entries = (
    key: "questions" | "urlParameters" | "scheduling" | "payments",
    how: Parameters<typeof entryOf>[3] = {},
  ) => (mapping[key] ?? []).map((entry, index) => entryOf(entry, ["mapping", key, index], vocabulary, how))
  const own = (key: "submissionTime" | "lastUpdatedAt" | "login", kind: string) => {
    const entry = mapping[key]
    return entry === undefined ? undefined : entryOf(entry, ["mapping", key], vocabulary, { kind })
  }
  return {
    questions: entries("questions"),
    urlParameters: entries("urlParameters", { kind: "text" }),
    submissionTime: own("submissionTime", "dateTime"),
    lastUpdatedAt: own("lastUpdatedAt", "dateTime"),
    login: own("login", "email"),
    scheduling: entries("scheduling", { parts: elements.scheduling }),
    payments: entries("payments", { parts: elements.payments }),
    ignore: columns(mapping.ignore ?? [], ["mapping", "ignore"]),
    unmapped: mapping.unmapped ?? "warn",
  }
}

const sinkOf = (sink: PipelineFile["sink"]): SinkConfig => ({
  targets: sink.targets === undefined
    ? [{ target: undefined, service: sink.service ?? "", form: sink.form ?? "", path: ["sink"] }]
    : Object.entries(sink.targets).map(([target, { service, form }]) => ({
      target,
      service,
      form,
      path: ["sink", "targets", target],
    })),
  alongside: sink.alongside ?? [],
  batchSize: sink.batchSize ?? 10,
  concurrency: sink.concurrency ?? 4,
  retries: {
    attempts: sink.retries?.attempts ?? 6,
    base: sink.retries?.base ?? Duration.millis(500),
    max: sink.retries?.max ?? Duration.seconds(30),
  },
  inDoubt: sink.inDoubt ?? "hold",
  onChange: sink.onChange ?? "report",
  canary: sink.canary === "off" ? 0 : sink.canary ?? 10,
  stopWhen: { ...stopDefaults, ...sink.stopWhen },
})

/**
 * A decoded pipeline file with its defaults filled in and its paths resolved.
 * @param resolve a path as the file gives it → absolute
 */
export const pipelineOf = (
  file: PipelineFile,
  document: Document,
  resolve: (path: string) => string,
  vocabulary: Vocabulary,
): Pipeline => ({
  name: file.pipeline,
  renamedFrom: file.renamedFrom,
  source: {
    file: resolve(file.source.file),
    format: file.source.format,
    encoding: file.source.encoding,
    delimiter: file.source.delimiter,
    headerRow: file.source.headerRow,
    sheet: file.source.sheet,
    range: file.source.range,
    rowKey: file.source.rowKey === undefined || file.source.rowKey === "content"
      ? file.source.rowKey
      : columns(file.source.rowKey, ["source", "rowKey"]),
    empty: [...new Set(["", ...(file.source.empty ?? [])])],
  },
  mapping: mappingOf(file.mapping, vocabulary),
  sink: sinkOf(file.sink),
  reconcile: {
    visibleWithin: file.reconcile?.visibleWithin ?? Duration.seconds(60),
    tolerate: (file.reconcile?.tolerate ?? []).map(({ id, name, because }, index) => ({
      id,
      name,
      because,
      path: ["reconcile", "tolerate", index],
    })),
  },
  document,
})
