import { Duration } from "effect"
import type { YamlPath } from "../domain/diagnostic.ts"
import type { ConditionsFile } from "./conditionSchema.ts"
import { columns, conditions, entryOf, optionsIn } from "./entryOf.ts"
import type { EntryRoom } from "./entryOf.ts"
import type { Kinds } from "./entrySchema.ts"
import type { ColumnAlias, Document, Example, MappingConfig, Pipeline, SinkConfig, SourceConfig } from "./Pipeline.ts"
import type { ElementParts, PipelineFile } from "./pipelineSchema.ts"
import { sourceFilesOf } from "./sourceFiles.ts"
import { stopDefaults } from "./stopLimit.ts"
import type { ValueSets } from "./valueSets.ts"

/** The kinds that a pipeline's entries may be of. */
export interface Vocabulary {
  readonly kinds: Kinds
  readonly elements: ElementParts
}

const mappingOf = (
  mapping: PipelineFile["mapping"],
  elements: ElementParts,
  room: EntryRoom,
): MappingConfig => {
  const entries = (
    key: "questions" | "urlParameters" | "scheduling" | "payments",
    how: Parameters<typeof entryOf>[3] = {},
  ) => (mapping[key] ?? []).map((entry, index) => entryOf(entry, ["mapping", key, index], room, how))
  const own = (key: "submissionTime" | "lastUpdatedAt" | "login", kind: string) => {
    const entry = mapping[key]
    return entry === undefined ? undefined : entryOf(entry, ["mapping", key], room, { kind })
  }
  return {
    defaults: Object.fromEntries(
      Object.entries(mapping.defaults ?? {}).map(([kind, given]) => [kind, optionsIn(given, Object.keys(given), room)]),
    ),
    questions: entries("questions"),
    urlParameters: entries("urlParameters", { kind: "text" }),
    submissionTime: own("submissionTime", "dateTime"),
    lastUpdatedAt: own("lastUpdatedAt", "dateTime"),
    login: own("login", "email"),
    scheduling: entries("scheduling", { parts: elements.scheduling }),
    payments: entries("payments", { parts: elements.payments }),
    ignore: columns(mapping.ignore ?? [], ["mapping", "ignore"]),
    ignoreQuestions: (mapping.ignoreQuestions ?? []).map((name, index) => ({
      name,
      path: ["mapping", "ignoreQuestions", index],
    })),
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
  blankRows: sink.blankRows ?? "reject",
  canary: sink.canary === "off" ? 0 : sink.canary ?? 10,
  stopWhen: { ...stopDefaults, ...sink.stopWhen },
  stamp: sink.stamp === undefined ? undefined : { ...sink.stamp, path: ["sink", "stamp", "urlParameter"] },
})

const aliasesOf = (aliases: PipelineFile["source"]["columns"]): ReadonlyArray<ColumnAlias> =>
  Object.entries(aliases ?? {}).map(([name, alias]) => ({
    name,
    path: ["source", "columns", name],
    column: "position" in alias ? { _tag: "Position", ...alias } : { _tag: "Header", ...alias },
  }))

const whereOf = (where: ConditionsFile | undefined): SourceConfig["where"] => conditions(where, ["source", "where"])

const exampleOf = ({ row, gives, fails }: NonNullable<PipelineFile["examples"]>[number], index: number): Example => ({
  path: ["examples", index] satisfies YamlPath,
  row,
  expected: gives === undefined ? { _tag: "Fails", codes: fails ?? [] } : { _tag: "Gives", answers: gives },
})

/**
 * A decoded pipeline file with its defaults filled in and its paths resolved.
 * @param resolve a path as the file gives it → absolute
 * @param sets the project's value sets
 */
export const pipelineOf = (
  file: PipelineFile,
  document: Document,
  resolve: (path: string) => string,
  vocabulary: Vocabulary,
  sets: ValueSets = new Map(),
): Pipeline => ({
  name: file.pipeline,
  renamedFrom: file.renamedFrom,
  source: {
    file: sourceFilesOf(file.source.file, resolve),
    member: file.source.member,
    records: file.source.records,
    format: file.source.format,
    encoding: file.source.encoding,
    delimiter: file.source.delimiter,
    quoteChar: file.source.quoteChar,
    raggedRows: file.source.raggedRows,
    headerRow: file.source.headerRow,
    sheet: file.source.sheet,
    range: file.source.range,
    rowKey: file.source.rowKey === undefined || file.source.rowKey === "content"
      ? file.source.rowKey
      : columns(file.source.rowKey, ["source", "rowKey"]),
    previousRowKey: file.source.previousRowKey,
    empty: [...new Set(["", ...(file.source.empty ?? [])])],
    columns: aliasesOf(file.source.columns),
    where: whereOf(file.source.where),
    vanished: file.source.vanished ?? "report",
    maxAge: file.source.maxAge,
  },
  mapping: mappingOf(file.mapping, vocabulary.elements, { kinds: vocabulary.kinds, sets }),
  sink: sinkOf(file.sink),
  reconcile: {
    visibleWithin: file.reconcile?.visibleWithin ?? Duration.seconds(60),
    lateWithin: file.reconcile?.lateWithin ?? Duration.minutes(5),
    tolerate: (file.reconcile?.tolerate ?? []).map(({ id, name, because }, index) => ({
      id,
      name,
      because,
      path: ["reconcile", "tolerate", index],
    })),
  },
  schedule: file.schedule,
  examples: (file.examples ?? []).map(exampleOf),
  document,
})
