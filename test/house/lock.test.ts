// Checks what `npm ci` installs: it is complete on every platform, has hashes, and names no registry.
import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { expect, it } from "vitest"

interface Locked {
  readonly version?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly optionalDependencies?: Record<string, string>
}

const read = async (file: string) => JSON.parse(await readFile(resolve(import.meta.dirname, "../..", file), "utf8"))

it("the lock file lists every optional dependency, with hashes and without registry addresses", async () => {
  const { packages } = (await read("package-lock.json")) as { packages: Record<string, Locked> }
  const { "": _, ...locked } = packages
  const absent = Object.entries(locked).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter((name) =>
      locked[`node_modules/${name}`] === undefined && locked[`${path}/node_modules/${name}`] === undefined
    )
  )
  const unhashed = Object.keys(locked).filter((path) => locked[path]?.integrity === undefined)
  const tied = Object.keys(locked).filter((path) => locked[path]?.resolved !== undefined)
  expect({ absent, unhashed, tied }).toEqual({ absent: [], unhashed: [], tied: [] })
})

it("package.json pins exact versions", async () => {
  const { dependencies, devDependencies } = await read("package.json")
  const versions = Object.entries<string>({ ...dependencies, ...devDependencies })
  expect(versions.filter(([, version]) => !/^(npm:@?[a-z0-9/-]+@)?\d+\.\d+\.\d+$/.test(version))).toEqual([])
})
