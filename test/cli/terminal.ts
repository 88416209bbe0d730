import { Terminal } from "@xterm/headless"
import { Writable } from "node:stream"
import { makeOutput } from "../../src/cli/Output.ts"

/** A terminal without a window: the text on its screen, and the bytes written to it. */
export const terminal = (options: {
  readonly columns: number
  readonly rows?: number
  readonly env?: Readonly<Record<string, string>>
  readonly noColor?: boolean
}) => {
  const rows = options.rows ?? 24
  const screen = new Terminal({
    cols: options.columns,
    rows,
    scrollback: 1_000,
    allowProposedApi: true,
    convertEol: true,
  })
  const writes: Array<string> = []
  const sink = new Writable({
    decodeStrings: false,
    write: (text: string, _, done) => {
      writes.push(text)
      screen.write(text, done)
    },
  })
  const stream = Object.assign(sink, { isTTY: true, columns: options.columns, rows }) as unknown as NodeJS.WriteStream
  const output = makeOutput({
    stdin: { isTTY: true } as NodeJS.ReadStream & { readonly fd: 0 },
    stdout: stream as NodeJS.WriteStream & { readonly fd: 1 },
    stderr: stream as NodeJS.WriteStream & { readonly fd: 2 },
    env: { TERM: "xterm-256color", ...options.env },
  }, { noColor: options.noColor ?? false })
  return {
    output,
    writes,
    /** Resizes the window, as a user does. */
    resize: (columns: number) => {
      screen.resize(columns, rows)
      Object.assign(stream, { columns })
    },
    /** Returns the lines on the screen, without empty lines at the end. */
    lines: async (): Promise<ReadonlyArray<string>> => {
      await new Promise<void>((done) => sink.write("", () => done()))
      const buffer = screen.buffer.active
      const lines = Array.from({ length: buffer.length }, (_, at) => buffer.getLine(at)?.translateToString(true) ?? "")
      while (lines.at(-1) === "") lines.pop()
      return lines
    },
    /** Returns the cursor's line and column. */
    cursor: () => [screen.buffer.active.baseY + screen.buffer.active.cursorY, screen.buffer.active.cursorX] as const,
  }
}
