import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Writable } from "node:stream"
import { makeOutput } from "../../src/cli/Output.ts"

const stream = (isTTY: boolean) => {
  const written: Array<string> = []
  const sink = new Writable({
    decodeStrings: false,
    write: (text: string, _, done) => {
      written.push(text)
      done()
    },
  })
  return { written, stream: Object.assign(sink, { isTTY, columns: 80 }) as unknown as NodeJS.WriteStream }
}

const host = (isTTY: boolean) => {
  const stdout = stream(isTTY)
  const stderr = stream(isTTY)
  const stdin = { isTTY } as NodeJS.ReadStream & { readonly fd: 0 }
  const streams = {
    stdin,
    stdout: stdout.stream as NodeJS.WriteStream & { readonly fd: 1 },
    stderr: stderr.stream as NodeJS.WriteStream & { readonly fd: 2 },
  }
  return { ...streams, env: {}, out: stdout.written, err: stderr.written }
}

it.effect("a secret that was looked up is written nowhere any more", () =>
  Effect.gen(function*() {
    const at = host(false)
    const output = makeOutput(at, { noColor: false })
    output.hide("s3cret-key")
    output.tell("Bearer s3cret-key was refused: s3cret-key")
    yield* output.print('{"key":"s3cret-key"}')
    expect(at.err.join("")).toBe("Bearer <the API key> was refused: <the API key>\n")
    expect(at.out.join("")).toBe('{"key":"<the API key>"}\n')
  }))

it.effect("what is no terminal gets neither colours nor the line at the bottom", () =>
  Effect.gen(function*() {
    const at = host(false)
    const output = makeOutput(at, { noColor: false })
    output.bottom(() => ["survey 10 rows"])
    yield* output.print("\u001B[1mbold\u001B[22m")
    expect([output.hasBottom, output.interactive, output.out.colour]).toEqual([false, false, false])
    expect([at.out.join(""), at.err.join("")]).toEqual(["bold\n", ""])
  }))
