import { Ajv, type ValidateFunction } from "ajv"
import { readdirSync, readFileSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { expect, it } from "vitest"
import { parse } from "yaml"

const repository = fileURLToPath(new URL("../..", import.meta.url))
const files = [
  "config/formferry.yaml",
  ...readdirSync(resolve(repository, "pipelines")).map((name) => `pipelines/${name}`),
]
const ajv = new Ajv({ allErrors: true, allowUnionTypes: true })
const compiled = new Map<string, ValidateFunction>()

/** Returns what checks a file by the JSON Schema at a path. */
const schemaAt = (path: string): ValidateFunction => {
  const check = compiled.get(path) ?? ajv.compile(JSON.parse(readFileSync(path, "utf8")))
  compiled.set(path, check)
  return check
}

it.each(files)("%s names its schema in the first line, and an editor reports no error in it", (name) => {
  const file = resolve(repository, name)
  const text = readFileSync(file, "utf8")
  const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1]
  expect(schema).toBeDefined()
  const accepts = schemaAt(resolve(dirname(file), schema ?? ""))
  accepts(parse(text))
  expect(accepts.errors ?? []).toEqual([])
})
