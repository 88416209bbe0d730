import { Effect } from "effect"
import { Writable } from "node:stream"
import { formferry } from "../../src/cli/formferry.ts"
import type { Host } from "../../src/cli/runMain.ts"

const outlet = (isTTY: boolean) => {
  const written: Array<string> = []
  const stream = Object.assign(
    new Writable({
      decodeStrings: false,
      write: (text: string, _, done) => {
        written.push(text)
        done()
      },
    }),
    { isTTY, columns: 100, rows: 40 },
  ) as unknown as NodeJS.WriteStream
  return { written, stream }
}

/**
 * Runs a command line in this process, with or without a person at the terminal. Returns its exit code and its output.
 */
export const command = (words: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}, isTTY = false) =>
  Effect.gen(function*() {
    const out = outlet(isTTY)
    const err = outlet(isTTY)
    const host: Host = {
      argv: ["node", "formferry", ...words],
      env: { ...env },
      stdin: { isTTY } as NodeJS.ReadStream & { readonly fd: 0 },
      stdout: out.stream as NodeJS.WriteStream & { readonly fd: 1 },
      stderr: err.stream as NodeJS.WriteStream & { readonly fd: 2 },
      on: process.on.bind(process),
      exit: process.exit.bind(process),
    }
    const status = yield* formferry({ host, interrupts: { first: Effect.never, takeOver: Effect.void } })
    return { status, out: out.written.join(""), err: err.written.join("") }
  })
