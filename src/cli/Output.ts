import { Context, Effect } from "effect"
import { stripVTControlCharacters } from "node:util"
import type { Host } from "./runMain.ts"
import { type Screen, screenOf } from "./show/Screen.ts"

/** Where a command's words go: results to stdout, all else to stderr. */
export class Output extends Context.Tag("formferry/Output")<Output, {
  /** What stdout and stderr are made for. */
  readonly out: Screen
  readonly err: Screen
  /** Whether a person sits there who can be asked. */
  readonly interactive: boolean
  /** Writes a result to stdout, on lines of its own. */
  readonly print: (text: string) => Effect.Effect<void>
  /** Writes a message to stderr, on lines of its own. */
  readonly tell: (text: string) => void
  /** The line at the bottom that is written over again and again; `undefined` takes it away. Nothing where stderr is no terminal. */
  readonly bottom: (line: string | undefined) => void
  readonly hasBottom: boolean
  /** From now on this text is never written, wherever it would stand. */
  readonly hide: (secret: string) => void
}>() {}

/** Shorter secrets would make other text unreadable, and are none. */
const shortestSecret = 6

/** The output of a process. */
export const makeOutput = (
  host: Pick<Host, "stdin" | "stdout" | "stderr" | "env">,
  options: { readonly noColor: boolean },
): Context.Tag.Service<typeof Output> => {
  const env = { NO_COLOR: host.env["NO_COLOR"], TERM: host.env["TERM"] }
  const screen = (stream: NodeJS.WriteStream) =>
    screenOf({ isTerminal: stream.isTTY === true, columns: stream.columns, noColor: options.noColor, env })
  const out = screen(host.stdout)
  const err = screen(host.stderr)
  const hasBottom = host.stderr.isTTY === true && env.TERM !== "dumb"
  const secrets = new Set<string>()
  let bottom: string | undefined

  const shown = (text: string, { colour }: Screen): string => {
    let safe = colour ? text : stripVTControlCharacters(text)
    for (const secret of secrets) safe = safe.replaceAll(secret, "<the API key>")
    return `${safe}\n`
  }
  const wipe = () => {
    if (bottom !== undefined) host.stderr.write("\r\u001B[2K")
  }
  const draw = () => {
    if (bottom !== undefined) host.stderr.write(bottom)
  }
  const aside = (write: () => void) => {
    wipe()
    write()
    draw()
  }

  return {
    out,
    err,
    interactive: host.stdin.isTTY === true && host.stdout.isTTY === true && host.stderr.isTTY === true,
    hasBottom,
    print: (text) => Effect.sync(() => aside(() => host.stdout.write(shown(text, out)))),
    tell: (text) => aside(() => host.stderr.write(shown(text, err))),
    bottom: (line) => {
      if (!hasBottom) return
      wipe()
      bottom = line
      draw()
    },
    hide: (secret) => {
      if (secret.length >= shortestSecret) secrets.add(secret)
    },
  }
}
