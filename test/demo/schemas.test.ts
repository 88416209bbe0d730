import { Ajv } from "ajv"
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

it.each(files)("%s names its schema in the first line, and an editor reports no error in it", (name) => {
  const file = resolve(repository, name)
  const text = readFileSync(file, "utf8")
  const schema = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text)?.[1]
  expect(schema).toBeDefined()
  const accepts = ajv.compile(JSON.parse(readFileSync(resolve(dirname(file), schema ?? ""), "utf8")))
  accepts(parse(text))
  expect(accepts.errors ?? []).toEqual([])
})
