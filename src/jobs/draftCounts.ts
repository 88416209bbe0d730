import * as Effect from "effect/Effect"
import type { RowChunk } from "../domain/row.ts"
import { openLedger } from "../ledger/openLedger.ts"
import { makeClassifier } from "../run/classify.ts"
import { rowKeys } from "../run/content.ts"
import { FateTable } from "../run/FateTable.ts"
import { chunkClassifier } from "../run/survey.ts"
import { checkData } from "./checkData.ts"
import type { OpenDraft } from "./draft.ts"
import { firstRows } from "./firstRows.ts"
import { dryRun, type Readable } from "./openKeys.ts"
import { compileFor } from "./prepare.ts"
import { askerOf, openIfAny, temporaryCopy } from "./projectLedger.ts"

/**
 * Reads rows through a draft's mapping, and gives each the fate that it would have in a dry run to the draft's first target. Fails with what is wrong if
 * the mapping doesn't compile. Writes nothing.
 */
export const countDraft = (draft: OpenDraft, whole: boolean) =>
  Effect.scoped(Effect.gen(function*() {
    const { form, pipeline, source, target } = draft
    const { isCut, source: first } = firstRows(source, whole)
    const { mapping, pipeline: keyed } = yield* compileFor(pipeline, first, form)
    const classified = yield* Effect.option(classifying(draft, { pipeline: keyed, form, mapping, source: first }))
    const { fates, lookUp, note } = classified._tag === "Some"
      ? classified.value
      : { fates: undefined, lookUp: undefined, note: unreadable }
    const { accounts: _, ...counts } = yield* checkData(keyed, first, mapping, form, { findTimes: false, lookUp })
    const { duplicate, filtered, invalid, rows } = counts
    const pending = rows - filtered - invalid - duplicate
    const unlooked = { ...new FateTable().byFate, filtered, invalid, duplicate, pending }
    return { ...counts, isWhole: !isCut(), to: target.target, fates: fates?.() ?? unlooked, note }
  }))

const unreadable = "The ledger can't be read, so rows that were imported before are counted as well."
const otherKeys =
  "The ledger's row keys were made from different columns. Until a run has made new ones, rows that were imported before are counted as new. A dry run counts them correctly."

/** Prepares to give a draft's rows their fates while they are read. `note` says what can't be known. */
const classifying = (
  { project, target }: Pick<OpenDraft, "project" | "target">,
  given: Readable,
) =>
  Effect.gen(function*() {
    const asker = askerOf(given.pipeline, target)
    const ledger = (yield* openIfAny(project, asker)) ?? (yield* openLedger(yield* temporaryCopy(project, asker)))
    const { isComparable, plan, run, view } = yield* dryRun(project, target, given, ledger)
    const classifier = yield* makeClassifier({ newRows: undefined, dropped: () => {}, sendable: undefined }).pipe(
      Effect.provide(run),
    )
    const numbering = yield* rowKeys(plan, { ledger, view })
    const classify = chunkClassifier(classifier, {
      view: isComparable && !(yield* view.facts).isBlank ? view : undefined,
      keyOf: numbering(),
    })
    return {
      lookUp: (chunk: RowChunk) => Effect.map(classify(chunk), () => void classifier.takeRejected()),
      fates: () => {
        classifier.decideWaiting()
        return classifier.fates.byFate
      },
      note: isComparable ? undefined : otherKeys,
    }
  })
