import * as Effect from "effect/Effect"
import { acceptCommand } from "../domain/acceptance.ts"
import type { Json } from "../domain/json.ts"
import { commandLine } from "../domain/shell.ts"
import type { LedgerError } from "../ledger/errors.ts"
import type { KeyRule } from "../ledger/facts.ts"
import type { Digester, PipelineLedger } from "../ledger/Ledger.ts"
import { emptyTexts } from "../project/sourceSection.ts"
import { contentDigest, type KeyOf, numberedKeys, positionsByName } from "./content.ts"
import { CurrentRun, RunLedger, type RunPlan } from "./RunContext.ts"
import { Stop } from "./Stop.ts"

export const sameList = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/** Returns how this run makes row keys. */
export const keyRuleOf = (
  { keyColumns, mapping, pipeline: { source } }: Pick<RunPlan, "keyColumns" | "mapping" | "pipeline">,
): KeyRule =>
  mapping.keyed === "content"
    ? { columns: "content", empty: [] }
    : { columns: keyColumns, empty: emptyTexts(source).toSorted() }

/** Whether the ledger's row keys were made differently from those of this run. */
export const keysDiffer = (plan: RunPlan, view: PipelineLedger): Effect.Effect<boolean, LedgerError> =>
  Effect.map(view.facts, ({ identity }) => {
    const now = keyRuleOf(plan)
    return identity?.keys.some((rule) => !sameList(rule, now)) ?? false
  })

/**
 * Stops the run because rows may be known under different keys, unless a person has accepted each part of this state. Exits with code 2, or 3 if `limit` is exceeded. Returns whether it stopped the run.
 *
 * @param refused what a person has to accept. If only a part of it remains, that part stays accepted
 * @param options.how what to do if the rows are known, and, as its last line, the command for it (`next`), if there is one
 * @param options.acceptIf when a person may accept the state
 */
export const refuse = (
  refused: ReadonlyArray<Json>,
  what: string,
  { acceptIf = "these rows are really new", how, limit = false, next }: {
    readonly how: string
    readonly next?: string
    readonly limit?: boolean
    readonly acceptIf?: string
  },
) =>
  Effect.gen(function*() {
    const { ledger, view } = yield* RunLedger
    const states = refused.map((one) => ledger.digest.value(one).toString("hex"))
    if (yield* view.accepted("row-key", states)) return false
    const { isPartial, pipeline, projectOption, target } = yield* CurrentRun
    yield* RunLedger.write((session) => session.recordFacts({ refused: { reason: "row-key", states, what } }))
    const accept = `${how} If ${acceptIf}, run: ${acceptCommand(pipeline.name, "row-key", target, projectOption)}.`
    // A pull of all records either resolves this, or is refused with instructions.
    const full = `To see whether both are in the source, pull all records: ${
      commandLine(["run", pipeline.name], { "--to": target, "--full": true, "--project": projectOption })
    }.`
    const because = `${what} Nothing was sent. ${isPartial ? full : accept}`
    yield* (yield* Stop).request(
      limit ? { _tag: "Protected", because } : { _tag: "Refused", because, next: isPartial ? undefined : next },
    )
    return true
  })

/** An earlier rule for row keys, with the present names of its columns, and how it makes the keys of this source. */
export interface EarlierKeys {
  readonly rule: KeyRule
  readonly keys: () => KeyOf
}

/**
 * Returns how an earlier rule makes keys for this source.
 *
 * @returns `same` if only the names of its columns have changed. Undefined if the source lacks the rule's columns
 */
export const earlierKeys = (
  run: Pick<RunPlan, "columns" | "keyColumns" | "mapping" | "pipeline">,
  digest: Digester,
  rule: KeyRule,
  first: ReadonlyArray<string> | undefined,
): EarlierKeys | "same" | undefined => {
  const positions = positionsByName(run.columns)
  if (rule.columns === "content") {
    if (first === undefined || first.some((name) => !positions.has(name))) return undefined
    return { rule, keys: numberedKeys(contentDigest(first, run.columns, digest), run.mapping.filtered) }
  }
  const { previousRowKey } = run.pipeline.source
  const renamed: ReadonlyArray<string> = previousRowKey?.length === run.keyColumns.length ? previousRowKey : []
  const present = {
    ...rule,
    columns: rule.columns.map((name) => positions.has(name) ? name : run.keyColumns[renamed.indexOf(name)] ?? name),
  }
  const columns = present.columns.map((name) => run.columns.find(({ position }) => position === positions.get(name)))
    .filter((one) => one !== undefined)
  if (columns.length < rule.columns.length) return undefined
  if (sameList(present, keyRuleOf(run))) return "same"
  const key = run.mapping.keyBy(columns, new Set(rule.empty))
  return { rule: present, keys: () => key }
}

/** Returns the command that gives known rows the keys of this run's source. */
export const rekeyCommand = (
  { otherSource, pipeline, projectOption, target }: RunPlan,
  options: Readonly<Record<string, string>> = {},
): string =>
  commandLine(["ledger", "rekey", pipeline.name], {
    "--source": otherSource,
    ...options,
    "--to": target,
    "--project": projectOption,
  })
