import { Context, Data, Effect } from "effect"
import { stripVTControlCharacters } from "node:util"
import { visible } from "../domain/visible.ts"
import { type LogDetails, type LogFormat, logLine } from "./log.ts"
import type { Host } from "./runMain.ts"
import { erase, type Painted, repaint, type Screen, screenOf, widthOf } from "./terminal/screen.ts"

/** Results could not be written to stdout: the disk is full, say (exit 70). */
export class OutputLost extends Data.TaggedError("OutputLost")<{ readonly reason: string }> {
  override get message() {
    return `The output could not be written: ${this.reason}.`
  }
}

/** Where a command's words go: results to stdout, all else to stderr. */
export class Output extends Context.Tag("formferry/Output")<Output, {
  /** What stdout and stderr are made for. */
  readonly out: Screen
  readonly err: Screen
  /** Whether a person sits there who can be asked. */
  readonly interactive: boolean
  /** Writes a result to stdout, on lines of its own. */
  readonly print: (text: string) => Effect.Effect<void>
  /** Writes data to stdout, to the byte; on a terminal its control characters become signs that can be seen. */
  readonly printData: (text: string) => Effect.Effect<void>
  /** Writes a message to stderr, on lines of its own; `details` where it was logged. */
  readonly tell: (text: string, details?: LogDetails) => void
  /** The lines at the bottom that are painted over again and again, made for the terminal as it is now; `undefined` takes them away. Nothing where stderr is no terminal. */
  readonly bottom: (view: ((screen: Screen) => ReadonlyArray<string>) | undefined) => void
  readonly hasBottom: boolean
  /** Whether each line on stderr has its time anyway. */
  readonly timed: boolean
  /** Waits until stdout has taken all that was printed. Whoever reads it may stop (`| head`, a terminal that was closed): that ends the output, not the work. */
  readonly flush: Effect.Effect<void, OutputLost>
  /** From now on this text is never written, wherever it would stand. */
  readonly hide: (secret: string) => void
}>() {}

/** Shorter secrets would make other text unreadable, and are none. */
const shortestSecret = 6

/** What colours a text: Select Graphic Rendition, as our own paint uses it. */
const colours = new RegExp(`(${String.fromCharCode(27)}\\[\\d{1,2}m)`, "g")

/** Lines of unknown origin, safe for a terminal; a tab stays one. */
const visibleLines = (text: string): string =>
  text.split(/\r?\n/).map((line) => line.split("\t").map(visible).join("\t")).join("\n")

/** Columns of a message in a log for machines: it is not wrapped. */
const unbroken = 100_000

/** The output of a process. */
export const makeOutput = (
  host: Pick<Host, "stdin" | "stdout" | "stderr" | "env">,
  options: {
    readonly noColor: boolean
    /** How lines on stderr are written (`--log-format`); default text. */
    readonly log?: { readonly format: LogFormat; readonly now: () => string }
  },
): Context.Tag.Service<typeof Output> => {
  const screen = (stream: NodeJS.WriteStream) => screenOf(stream, host.env, options.noColor)
  // A log for machines is neither painted over nor cut to a window.
  const log = options.log?.format === "text" ? undefined : options.log
  const hasBottom = host.stderr.isTTY === true && host.env["TERM"] !== "dumb" && log === undefined
  const errScreen = (): Screen => log === undefined ? screen(host.stderr) : { width: unbroken, colour: false }
  const secrets = new Set<string>()
  let lost: string | undefined
  host.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !(error.code === "EIO" && host.stdout.isTTY)) lost ??= error.message
  })
  // Messages that nobody can read any more end nothing: the ledger, the reports and the exit status say the same.
  host.stderr.on("error", () => undefined)
  let bottom: ((screen: Screen) => ReadonlyArray<string>) | undefined
  let painted: Painted = []

  const masked = (text: string): string => {
    let safe = text
    for (const secret of secrets) safe = safe.replaceAll(secret, "<the API key>")
    return safe
  }
  /** Colours stay where they are wanted; nothing else may move a terminal's cursor or set its title. */
  const shown = (text: string, isTerminal: boolean, { colour }: Screen): string => {
    const plain = colour ? text : text.replace(colours, "")
    const parts = plain.split(colours)
    return masked(isTerminal ? parts.map((part, at) => (at % 2 === 0 ? visibleLines(part) : part)).join("") : plain)
  }
  const line = (text: string, details: LogDetails | undefined): string =>
    log === undefined
      ? logLine.text({ text, details, at: "" })
      : logLine[log.format]({ text: stripVTControlCharacters(text), details, at: log.now() })
  const wipe = () => {
    if (painted.length > 0) host.stderr.write(erase(painted, screen(host.stderr).width))
    painted = []
  }
  const draw = () => {
    if (bottom === undefined) return
    const { rows } = host.stderr
    const now = screen(host.stderr)
    // What is higher than the window can't be painted over.
    const lines = bottom(now).slice(0, rows > 1 ? rows - 1 : undefined)
    host.stderr.write(repaint(painted, lines, now.width))
    painted = lines.map(widthOf)
  }
  const aside = (write: () => void) => {
    wipe()
    write()
    draw()
  }

  return {
    // A window can be made wider or narrower while a command goes on.
    get out() {
      return screen(host.stdout)
    },
    get err() {
      return errScreen()
    },
    interactive: host.stdin.isTTY === true && host.stdout.isTTY === true && host.stderr.isTTY === true,
    hasBottom,
    timed: log !== undefined,
    print: (text) =>
      Effect.sync(() =>
        aside(() => host.stdout.write(`${shown(text, host.stdout.isTTY === true, screen(host.stdout))}\n`))
      ),
    printData: (text) =>
      Effect.sync(() => aside(() => host.stdout.write(masked(host.stdout.isTTY === true ? visibleLines(text) : text)))),
    tell: (text, details) =>
      aside(() => host.stderr.write(`${shown(line(text, details), host.stderr.isTTY === true, errScreen())}\n`)),
    bottom: (view) => {
      if (!hasBottom) return
      bottom = view
      if (view === undefined) wipe()
      else draw()
    },
    flush: Effect.async((resume) => {
      // A failed last write emits its error after its callback.
      host.stdout.write(
        "",
        () =>
          setImmediate(() => resume(lost === undefined ? Effect.void : Effect.fail(new OutputLost({ reason: lost })))),
      )
    }),
    hide: (secret) => {
      if (secret.length >= shortestSecret) secrets.add(secret)
    },
  }
}
