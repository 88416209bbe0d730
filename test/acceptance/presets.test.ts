// Every preset pulls from a fake of its tool's API, through the commands, into the practice service.
import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { presets as all } from "../../src/project/presets/index.ts"
import { isLong } from "../long.ts"
import { quickly } from "../quickly.ts"
import { keyFileOf } from "../source/pull/fakeSignIns.ts"
import { type FakeRecord, records, type Sent, startTools, token } from "../source/pull/fakeTools.ts"
import { airtable } from "../source/pull/presets/airtable.ts"
import type { FakePreset } from "../source/pull/presets/FakePreset.ts"
import { fillout } from "../source/pull/presets/fillout.ts"
import { googleSheets } from "../source/pull/presets/googleSheets.ts"
import { jotform } from "../source/pull/presets/jotform.ts"
import { kobo } from "../source/pull/presets/kobo.ts"
import { odk } from "../source/pull/presets/odk.ts"
import { qualtrics } from "../source/pull/presets/qualtrics.ts"
import { redcap } from "../source/pull/presets/redcap.ts"
import { surveymonkey } from "../source/pull/presets/surveymonkey.ts"
import { typeform } from "../source/pull/presets/typeform.ts"
import { bench } from "./contacts.ts"
import { onOneLine } from "./formferry.ts"

/** The presets. For a new one, add its fake here. */
const presets: ReadonlyArray<FakePreset> = [
  airtable,
  fillout,
  googleSheets,
  jotform,
  kobo,
  odk,
  qualtrics,
  redcap,
  surveymonkey,
  typeform,
]

/** Makes a project with a pipeline that imports names from the tool. */
const projectFor = ({ answer, api, column, signIn, source }: FakePreset, more = "") =>
  Effect.gen(function*() {
    const tool = yield* Effect.acquireRelease(
      Effect.promise(() => startTools(answer)),
      (tools) => Effect.sync(tools.stop),
    )
    const at = yield* bench()
    at.edit("config/formferry.yaml", "confirm: false", "confirm: false\n    capabilities: [list]")
    at.write(
      "config/formferry.yaml",
      `${at.read("config/formferry.yaml")}
connections:
  tool: { api: ${api}, base: "${tool.base}", ${signIn}, requestsPerSecond: 100 }
`,
    )
    const secret = (value: string) => {
      at.write(".env", `TOOL_TOKEN=${value}\n`)
      at.write("config/key.json", keyFileOf(tool.base, { private_key_id: value === token ? "key-1" : "key-0" }))
    }
    secret(token)
    at.write(
      "pipelines/contacts.yaml",
      `pipeline: contacts
source:
  connection: tool
  ${source}
  ${more}
mapping:
  questions: [{ name: Name, from: ${JSON.stringify(column)}, required: true }]
  ignoreQuestions: [E-mail, Born]
sink: { service: live, form: contacts }
`,
    )
    const command = (...words: ReadonlyArray<string>) => quickly(at.inProcess(...words))
    return { at, command, secret, tool }
  })

/** Expects that each record that existed throughout was imported, and that no record was imported twice. */
const expectOnce = (imported: ReadonlyArray<unknown>, throughout: ReadonlyArray<FakeRecord>, last: number) => {
  const wanted = new Set<unknown>(throughout.map(({ name }) => name))
  expect(imported.filter((name) => wanted.has(name))).toEqual([...wanted].toSorted())
  expect(new Set(imported).size).toBe(imported.length)
  expect(names(last)).toEqual(expect.arrayContaining([...imported]))
}

const names = (last: number) => records(1, last).map(({ name }) => name).toSorted()

/** `npm test` imports with one preset and tests the refusals that all have with it, the longer proofs do that with each. */
const usual: ReadonlyArray<FakePreset> = isLong ? presets : [typeform]

describe.each(presets.map((preset) => [preset.api, preset] as const))("the preset %s", (_, preset) => {
  if (usual.includes(preset)) {
    it.scopedLive("imports each record once, with a 429, records that arrive meanwhile, and a second night", () =>
      Effect.gen(function*() {
        const { at, command, tool } = yield* projectFor(preset)
        tool.store = records(1, 2_500)
        const check = yield* command("check", "contacts")
        expect(check.status, check.stdout + check.stderr).toBe(0)
        expect(tool.received).toHaveLength(preset.requests)

        tool.received.length = 0
        tool.meddle = (_, count) => {
          // The first page was sent, or will be sent again.
          if (count === 2) tool.store = records(1, 2_507)
          return count === Math.min(2, preset.requests) ? { status: 429, headers: { "retry-after": "1" } } : undefined
        }
        const first = yield* command("run", "contacts")
        expect(first.status, first.stdout + first.stderr).toBe(0)
        // The records that arrived may be a page of their own.
        expect([preset.requests + 1, preset.requests + 2]).toContain(tool.received.length)
        expectOnce(at.answers("qName"), records(1, 2_500), 2_507)

        tool.meddle = () => undefined
        tool.store = records(1, 2_540).map((record) =>
          record.id % 200 === 0 && record.id <= 2_000
            ? { ...record, name: `${record.name} (edited)`, isEdited: true }
            : record
        )
        const second = yield* command("run", "contacts")
        expect([0, 1], second.stdout + second.stderr).toContain(second.status)
        expect(at.report().rows).toMatchObject({ changed: preset.showsEdits === false ? 0 : 10 })
        expect(at.answers("qName")).toEqual(names(2_540))
      }))
  }

  it.scopedLive("says that the token has expired, and sends nothing", () =>
    Effect.gen(function*() {
      const { at, command, secret, tool } = yield* projectFor(preset)
      tool.store = records(1, 10)
      secret("tok_expired")
      const refused = yield* command("run", "contacts")
      expect(refused.status).toBe(5)
      expect(refused.stderr).toMatch(/refused the sign-in \(401\)|refused access \(403\)|refused the key/)
      expect(refused.stdout + refused.stderr).not.toContain("tok_")
      expect(at.count()).toBe(0)
    }))

  if (usual.includes(preset) && preset.movingPages !== undefined) {
    it.scopedLive.each<readonly [string, ReadonlyArray<FakeRecord>]>([
      ["", records(1, 320)],
      [", and others arrive", records(1, 322)],
    ])(
      "imports each record that remains if records are deleted between pages%s",
      ([, later]) =>
        Effect.gen(function*() {
          const { at, command, tool } = yield* projectFor(preset, preset.movingPages)
          const remaining = (store: ReadonlyArray<FakeRecord>) => store.filter(({ id }) => id !== 10 && id !== 310)
          tool.store = records(1, 320)
          tool.meddle = (_, count) => {
            if (count === 2) {
              tool.store = remaining(later).map((record) => record.id > 320 ? { ...record, at: Date.now() } : record)
            }
            return undefined
          }
          const first = yield* command("run", "contacts")
          expect(first.status, first.stdout + first.stderr).toBe(0)
          expectOnce(at.answers("qName"), remaining(records(1, 320)), 322)
        }),
    )
  }

  const { rights, servers, variables } = all[preset.api]!
  const access = [
    ...(rights === undefined ? [] : [`It needs ${rights}.`]),
    ...(servers ?? []).flatMap(({ bases, of }) => [of, ...bases]),
  ]
  const refusals: ReadonlyArray<readonly [string, Sent, ...ReadonlyArray<string>]> = [
    ...usual.includes(preset)
      ? [
        ["access that is forbidden", { status: 403 }, "refused access (403)", ...access],
        [
          "a form that is not found",
          { status: 404 },
          "found nothing (404): `",
          ...Object.keys(variables).map((name) => `\`${name}\``),
          ...access,
        ],
        ["a wait of hours", { status: 429, headers: { "retry-after": "7200" } }, "so a quota is used up"],
      ] as const
      : [],
    ...preset.refusals ?? [],
  ]
  it.scopedLive.each(refusals)(
    "says what to do about %s, and sends nothing",
    ([, answer, ...sentences]) =>
      Effect.gen(function*() {
        const { at, command, tool } = yield* projectFor(preset)
        tool.meddle = ({ url }) => url.pathname === "/token" ? undefined : answer
        const refused = yield* command("run", "contacts")
        expect(refused.status).toBe(5)
        for (const sentence of sentences) expect(onOneLine(refused.stderr)).toContain(sentence)
        expect(at.count()).toBe(0)
      }),
  )
})

it.scopedLive("the preset surveymonkey imports no response of a preview", () =>
  Effect.gen(function*() {
    const { at, command, tool } = yield* projectFor(surveymonkey)
    tool.store = records(1, 3)
    tool.meddle = (request) => {
      const sent = surveymonkey.answer(request, tool.store)
      return {
        ...sent,
        body: JSON.stringify(sent.body).replace('"collection_mode":"default"', '"collection_mode":"preview"'),
      }
    }
    const ran = yield* command("run", "contacts")
    expect(ran.status, ran.stdout + ran.stderr).toBe(0)
    expect(at.report().rows).toMatchObject({ imported: 2, filtered: 1 })
    expect(at.answers("qName")).toEqual(["Person 2", "Person 3"])
  }))

it.scopedLive("the preset typeform imports each record if a page is out of order while others arrive", () =>
  Effect.gen(function*() {
    const { at, command, tool } = yield* projectFor(typeform, typeform.movingPages)
    const store = records(1, 320)
    tool.store = store
    tool.meddle = (request, count) => {
      if (count !== 1) return undefined
      // The next page starts with record 110, so ten are skipped, and as many arrive.
      const arrived = records(321, 330).map((record) => ({ ...record, at: Date.now() }))
      tool.store = [...store, ...arrived]
      return typeform.answer(request, [
        ...store.slice(0, 99),
        store[109]!,
        ...store.slice(99, 109),
        ...store.slice(110),
      ])
    }
    const ran = yield* command("run", "contacts")
    expect(ran.status, ran.stdout + ran.stderr).toBe(0)
    // The pull starts again, so that it may contain those that arrived.
    expectOnce(at.answers("qName"), store, 330)
    // No page ends before it starts.
    for (const { url: { searchParams } } of tool.received.filter(({ url }) => url.pathname.endsWith("/responses"))) {
      expect(searchParams.get("until")! > (searchParams.get("since") ?? "")).toBe(true)
    }
  }))
