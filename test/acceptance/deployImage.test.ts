import { expect, it } from "@effect/vitest"
import { validate } from "dockerfile-utils"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe } from "vitest"
import { deployed, inShell, read, repository } from "./deployed.ts"

describe("Dockerfile", () => {
  const text = read("Dockerfile")
  const instructions = text.split("\n").flatMap((line) => {
    const [, name, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? []
    return name === undefined || rest === undefined ? [] : [{ name, rest }]
  })
  const of = (name: string) => instructions.flatMap((one) => one.name === name ? [one.rest] : [])

  it("a Dockerfile linter finds nothing, and finds a planted mistake", () => {
    expect(validate(text).map(({ message }) => message)).toEqual([])
    expect(validate(text.replace("WORKDIR /build", "WORKDR /build"))).not.toEqual([])
  })

  it("copies only what is there and what .dockerignore lets in, and runs scripts that there are", () => {
    const allowed = read("Dockerfile.dockerignore").split("\n").flatMap((line) =>
      line.startsWith("!") ? [line.slice(1)] : []
    )
    for (const copy of of("COPY").filter((rest) => !rest.startsWith("--from"))) {
      for (const source of copy.split(" ").slice(0, -1)) {
        expect(existsSync(join(repository, source)), source).toBe(true)
        expect(allowed, source).toContain(source)
      }
    }
    const { scripts } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    for (const script of of("RUN").flatMap((line) => /npm run (\S+)/.exec(line)?.[1] ?? [])) {
      expect(Object.keys(scripts)).toContain(script)
    }
    expect(of("USER")).toEqual(["node"])
  })

  it.scopedLive("what it puts together is all that the command needs: a dry run, without docker", () =>
    Effect.gen(function*() {
      const at = yield* deployed
      // Not in the project: all of that is read through when it closes.
      const stage = yield* Effect.acquireRelease(
        Effect.sync(() => mkdtempSync(join(tmpdir(), "formferry-image-"))),
        (folder) => Effect.sync(() => rmSync(folder, { recursive: true })),
      )
      // Links in the place of big files: Node is told to look for modules where the links stand.
      mkdirSync(join(stage, "node_modules"), { recursive: true })
      for (const name of readdirSync(join(repository, "node_modules"))) {
        symlinkSync(join(repository, "node_modules", name), join(stage, "node_modules", name))
      }
      for (const name of ["dist", "package.json"]) symlinkSync(join(repository, name), join(stage, name))
      const assembly = of("RUN").find((line) => line.includes("out/")) ?? ""
      execFileSync("sh", ["-e", "-c", assembly], { cwd: stage })
      const [program, script = "", ...more] = JSON.parse(of("ENTRYPOINT")[0] ?? "[]") as ReadonlyArray<string>
      expect(program).toBe("node")
      expect(more).toEqual([])
      expect(of("COPY").at(-1)).toBe("--from=build /build/out /opt/formferry")
      const node = `"${process.execPath}" --preserve-symlinks --preserve-symlinks-main`
      const command = `${node} ${script.replace("/opt/formferry", join(stage, "out"))} schedule --once`
      const { status, text } = yield* inShell(command, at.folder, { NODE_ENV: "production" })
      expect(status, text).toBe(0)
      expect(at.count()).toBe(5)
    }))
})
