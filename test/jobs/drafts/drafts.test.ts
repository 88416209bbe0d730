import { expect, layer } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync } from "node:fs"
import { basename, join } from "node:path"
import type { Form } from "../../../src/domain/form.ts"
import { inspectFile } from "../../../src/jobs/inspect.ts"
import { asFound } from "../../../src/source/openSource.ts"
import { repository } from "../../demo/demonstration.ts"
import { isLong } from "../../long.ts"
import { platform, projectFolder } from "../../project/projectFolder.ts"
import { drawPair } from "../../suggest/generated/drawPair.ts"
import { topicsOf } from "../../suggest/generated/topics.ts"
import { drafted, formFor, misfits, typings, uncommentings, wrongIn } from "./drafts.ts"

const samples = readdirSync(join(repository, "samples"), { recursive: true, encoding: "utf8" })
  // The definitions of forms contain no responses.
  .filter((name) => /\.(?:csv|xlsx|txt|json)$/.test(name) && !name.startsWith("definitions"))
  .filter((_, at) => isLong || at % 12 === 0)

/**
 * Drafts a pipeline for a file. Returns its errors as written, with each part uncommented alone, and with all parts
 * uncommented.
 */
const faults = (file: string, form: Form) =>
  Effect.gen(function*() {
    const { columns } = yield* inspectFile(asFound(file))
    const filled = new Map(columns.map(({ filled, name, title }) => [name ?? title, filled]))
    const draft = yield* drafted(basename(file), readFileSync(file), form)
    const parts = uncommentings(draft.text)
    const nested = uncommentings(parts.at(-1)?.text ?? "").slice(-1)
    const texts = [{ what: "as written", text: draft.text }, ...parts, ...nested]
    return [
      ...texts.flatMap(({ text, what }) => wrongIn(text).map((fault) => `${what}: ${fault}`)),
      ...(yield* misfits(draft, filled)),
    ]
  }).pipe(Effect.scoped)

const seeds = Array.from({ length: isLong ? 8 : 1 }, (_, at) => 4001 + at)

layer(platform)("a drafted pipeline", (it) => {
  it.effect.each(samples)(
    "decodes as written and with any part uncommented, and reads the cells of %s",
    (name) =>
      Effect.gen(function*() {
        const file = join(repository, "samples", name)
        const typing = typings[samples.indexOf(name) % typings.length]!
        expect(yield* faults(file, yield* formFor(file, typing))).toEqual([])
      }),
    60_000,
  )

  it.scoped.each(seeds)(
    "decodes as written and with any part uncommented, and reads the cells of the generated pair %s",
    (seed) =>
      Effect.gen(function*() {
        const { file, form } = drawPair(seed, topicsOf("known"))
        const folder = yield* projectFolder({ [file.name]: file.bytes })
        expect(yield* faults(join(folder, file.name), form)).toEqual([])
      }),
    60_000,
  )
})
