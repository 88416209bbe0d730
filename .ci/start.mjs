#!/usr/bin/env node
// dist/main.js: starts the bundle beside it with the code that V8 made of it before, which halves the time a command takes to start. That code is good for one build, one version of
// Node and one command: where it is missing, damaged or of no use, the first command that went through leaves it for the next, if the folder can be written.
import { createHash } from "node:crypto"
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
// A command that only shows its help uses too little of the program for one that does its work.
const isHelp = process.argv.some((one) => one === "--help" || one === "-h") || !/^[a-z]+$/.test(process.argv[2] ?? "")
const command = isHelp ? "help" : process.argv[2]
const compiled = `${folder}/${command}-BUILD-${process.version}-${process.arch}`

// V8 runs what it is given: whether that is what was written, it does not look.
const digestLength = 32
const digestOf = (code) => createHash("sha256").update(code).digest()

const before = () => {
  try {
    const file = readFileSync(compiled)
    const code = file.subarray(digestLength)
    return digestOf(code).equals(file.subarray(0, digestLength)) ? code : undefined
  } catch {
    return undefined
  }
}

let cachedData = before()
// Plain ASCII, and longer than a megabyte: V8 takes it as it lies there.
const script = new Script(readFileSync(filename, "latin1"), { filename, cachedData })

// V8 has no use for code that was made with other flags.
const missing = cachedData === undefined || script.cachedDataRejected
// 5 MB that nothing needs any more.
cachedData = undefined
if (missing) {
  process.on("exit", (status) => {
    // Rows that need a person are no fault of the command's.
    if (status > 1) return
    try {
      mkdirSync(folder, { recursive: true })
      const draft = `${compiled}.${process.pid}`
      const code = script.createCachedData()
      writeFileSync(draft, Buffer.concat([digestOf(code), code]))
      renameSync(draft, compiled)
    } catch {
      // Without it the next command starts as slowly as this one.
    }
  })
}

script.runInThisContext()(createRequire(import.meta.url), import.meta.url)
