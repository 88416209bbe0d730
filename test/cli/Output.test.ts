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

it.effect("output masks a secret as soon as it has been looked up", () =>
  Effect.gen(function*() {
    const at = host(false)
    const output = makeOutput(at, { noColor: false })
    output.hide("s3cret-key")
    output.say("Bearer s3cret-key was refused: s3cret-key")
    yield* output.print('{"key":"s3cret-key"}')
    expect(at.err.join("")).toBe("Bearer <secret> was refused: <secret>\n")
    output.hide('quote"d-key')
    yield* output.print(JSON.stringify({ other: 'quote"d-key' }))
    expect(at.out.join("")).toBe('{"key":"<secret>"}\n{"other":"<secret>"}\n')
  }))

it.effect("output has no colours and no live lines at the bottom without a terminal", () =>
  Effect.gen(function*() {
    const at = host(false)
    const output = makeOutput(at, { noColor: false })
    output.bottom(() => ["survey 10 rows"])
    yield* output.print("\u001B[1mbold\u001B[22m")
    expect([output.hasBottom, output.interactive, output.out.colour]).toEqual([false, false, false])
    expect([at.out.join(""), at.err.join("")]).toEqual(["bold\n", ""])
  }))

const hostile = "K-1\u001B[31m\u001B]0;title\u0007\u009B2J\r"

it.effect("data is written to a terminal with visible control characters, and to a file unchanged", () =>
  Effect.gen(function*() {
    const line = `a,b\r\n${hostile},x\ty\r\n`
    const terminal = host(true)
    yield* makeOutput(terminal, { noColor: false }).printData(line)
    expect(terminal.out.join("")).toBe("a,b\nK-1␛[31m␛]0;title␇<U+009B>2J␍,x\ty\n")
    const file = host(false)
    yield* makeOutput(file, { noColor: false }).printData(line)
    expect(file.out.join("")).toBe(line)
  }))

it.effect("messages and results can't move a terminal's cursor or set its title, but keep formferry's own colours", () =>
  Effect.gen(function*() {
    const at = host(true)
    const output = makeOutput(at, { noColor: false })
    yield* output.print(`\u001B[1mbold\u001B[22m ${hostile}\nnext`)
    output.say(hostile)
    for (const text of [at.out.join(""), at.err.join("")]) {
      expect(text.replaceAll(/(?:\p{Cc})\[\d{1,2}m/gu, "")).not.toMatch(/(?!\n)\p{Cc}/u)
    }
    expect(at.out.join("")).toContain("\u001B[1mbold\u001B[22m")
  }))
