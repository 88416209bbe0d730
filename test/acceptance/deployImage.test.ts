import { expect, it } from "@effect/vitest"
import { validate } from "dockerfile-utils"
import { Effect } from "effect"
import { describe } from "vitest"
import { isLong } from "../long.ts"
import { deployed, read } from "./deployed.ts"

describe("the Dockerfile", () => {
  const text = read("Dockerfile")
  /** Returns the arguments of each occurrence of an instruction. */
  const of = (instruction: string) =>
    text.split("\n").flatMap((line) => line.startsWith(`${instruction} `) ? [line.slice(instruction.length + 1)] : [])

  it("the Dockerfile passes a linter, which detects a planted mistake", () => {
    expect(validate(text).map(({ message }) => message)).toEqual([])
    expect(validate(text.replace("WORKDIR /project", "WORKDR /project"))).not.toEqual([])
  })

  it("the image runs as a user other than root, in a volume that belongs to this user", () => {
    expect(of("USER")).toEqual(["node"])
    expect(of("VOLUME")).toEqual(of("WORKDIR"))
    expect(text).toMatch(/^RUN mkdir (\S+) && chown node:node \1\nVOLUME \1\n/m)
  })

  it.scopedLive.runIf(isLong)(
    "the image runs due pipelines, and its health check fails until a run succeeds",
    () =>
      Effect.gen(function*() {
        const at = yield* deployed
        const [program] = JSON.parse(of("ENTRYPOINT")[0] ?? "[]") as ReadonlyArray<string>
        const [command] = JSON.parse(of("CMD")[0] ?? "[]") as ReadonlyArray<string>
        const [, health = ""] = /^HEALTHCHECK (?:--\S+ )*CMD (.*)$/m.exec(text) ?? []
        const env = Object.fromEntries(of("ENV").map((line) => line.split("=") as [string, string]))
        expect(yield* at.shell(health, env)).toMatchObject({ status: 1 })
        // Nothing is written to the user's home, because the image may be read-only.
        const { status, text: said } = yield* at.shell(`${program} ${command} --once`, { ...env, HOME: "/nonexistent" })
        expect(status, said).toBe(0)
        expect(at.count()).toBe(5)
        expect(yield* at.shell(health, env)).toMatchObject({ status: 0 })
      }),
  )
})
