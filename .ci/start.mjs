#!/usr/bin/env node
// dist/main.js: starts the bundle beside it with the code that V8 made of it before, which halves the time a command takes to start. That code is good for one build, one version of
// Node and one command: where it is missing, the first command that went through leaves it for the next, if the folder can be written.
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { setFlagsFromString } from "node:v8"
import { Script } from "node:vm"

// Before anything is compiled, for the compiled code below is good for the same flags only.
// V8 would optimise the WebAssembly that reads HTTP after its first few hundred answers: 0.3 s of a second processor and 30 MB, which pays after some ten thousand.
setFlagsFromString("--wasm-tiering-budget=50000000")
// Collecting the young generation in several threads takes more processor time than in one, and where processors are few, it waits for it.
setFlagsFromString("--no-parallel-scavenge")

const filename = fileURLToPath(new URL("formferry.cjs", import.meta.url))
const folder = fileURLToPath(new URL("compiled", import.meta.url))
const command = /^[a-z]+$/.test(process.argv[2] ?? "") ? process.argv[2] : "help"
const compiled = `${folder}/${command}-BUILD-${process.version}-${process.arch}`

const before = () => {
  try {
    return readFileSync(compiled)
  } catch {
    return undefined
  }
}

let cachedData = before()
// Plain ASCII, and longer than a megabyte: V8 takes it as it lies there.
const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData })

const missing = cachedData === undefined
// 5 MB that nothing needs any more.
cachedData = undefined
if (missing) {
  process.on("exit", (status) => {
    // Rows that need a person are no fault of the command's.
    if (status > 1) return
    try {
      mkdirSync(folder, { recursive: true })
      const draft = `${compiled}.${process.pid}`
      writeFileSync(draft, script.createCachedData())
      renameSync(draft, compiled)
    } catch {
      // Without it the next command starts as slowly as this one.
    }
  })
}

script.runInThisContext()(createRequire(import.meta.url), import.meta.url)
