import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as HashMap from "effect/HashMap"
import * as Logger from "effect/Logger"
import { stripVTControlCharacters } from "node:util"
import { reasonOf } from "../domain/systemErrors.ts"
import { visible } from "../domain/visible.ts"
import type { Host } from "./runMain.ts"
import { erase, type Painted, repaint, type Screen, screenOf, widthOf } from "./terminal/screen.ts"

export const logFormats = ["text", "json", "logfmt"] as const

/** How lines on stderr are written: for people, or as one record per line for programs. */
export type LogFormat = (typeof logFormats)[number]

/** The details of a logged line. */
interface LogDetails {
  /** As Effect labels it: INFO, WARN, … */
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
  /** Whether it is the command's own message. In the text format, such a message has no level. */
  readonly own?: boolean
}

interface LogLine {
  readonly text: string
  /** Undefined for the command's own messages. */
  readonly details: LogDetails | undefined
  /** ISO 8601. */
  readonly at: string
}

const scalar = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value) ?? String(value))

const logfmt = (value: string): string => (/^[\w.:/+-]+$/.test(value) ? value : JSON.stringify(value))

/** Formats a line. Uses the field names of Effect's loggers. */
const logLine: { readonly [F in LogFormat]: (line: LogLine) => string } = {
  text: ({ details, text }) => (details === undefined || details.own === true ? text : `${details.level}: ${text}`),
  json: ({ at, details, text }) =>
    JSON.stringify({
      timestamp: at,
      logLevel: details?.level ?? "INFO",
      message: text,
      ...(details === undefined || Object.keys(details.annotations).length === 0
        ? {}
        : { annotations: details.annotations }),
    }),
  logfmt: ({ at, details, text }) =>
    [
      `timestamp=${at}`,
      `level=${details?.level ?? "INFO"}`,
      `message=${logfmt(text)}`,
      ...Object.entries(details?.annotations ?? {}).map(([name, value]) =>
        `${name.replace(/[^\w.]/g, "_")}=${logfmt(scalar(value))}`
      ),
    ].join(" "),
}

export const logger = (write: (text: string, details: LogDetails) => void) =>
  Logger.make<unknown, void>(({ annotations, logLevel, message }) => {
    const words = (Array.isArray(message) ? message : [message]).map((word) =>
      typeof word === "string" ? word : word instanceof Error ? word.message : JSON.stringify(word)
    )
    write(words.join(" "), {
      level: logLevel.label,
      annotations: Object.fromEntries(HashMap.toEntries(annotations)),
    })
  })

/** Results could not be written to stdout, for example because the disk is full (exit code 70). */
export class OutputLost extends Data.TaggedError("OutputLost")<{ readonly reason: string }> {
  override get message() {
    return `The output could not be written: ${this.reason}.`
  }
}

/** Writes results to stdout and everything else to stderr. */
export class Output extends Context.Tag("formferry/Output")<Output, {
  /** The screens of stdout and stderr. */
  readonly out: Screen
  readonly err: Screen
  /** Whether questions can be asked: stdin, stdout and stderr are a terminal. */
  readonly interactive: boolean
  /** Writes a result to stdout, on its own lines. */
  readonly print: (text: string) => Effect.Effect<void>
  /** Writes data to stdout unchanged. On a terminal, makes its control characters visible. */
  readonly printData: (text: string) => Effect.Effect<void>
  /** Writes a message to stderr, on its own lines. Logged messages have `details`. */
  readonly say: (text: string, details?: LogDetails) => void
  /** Shows lines at the bottom of the terminal. `view` makes them for the terminal's current size. `undefined` removes them. Does nothing if stderr is not a terminal. */
  readonly bottom: (view: ((screen: Screen) => ReadonlyArray<string>) | undefined) => void
  readonly hasBottom: boolean
  /** Whether each line on stderr has a time. */
  readonly timed: boolean
  /** Waits until everything printed is written. A reader that stops (`| head`, a closed terminal) is not an error. */
  readonly flush: Effect.Effect<void, OutputLost>
  /** Masks this text in everything written from now on. */
  readonly hide: (secret: string) => void
}>() {}

/** The minimum length of a text to mask. Masking a shorter one would make other text unreadable. */
const shortestSecret = 6

/** Makes a function that remembers a secret, and one that masks these secrets in a text, also in JSON. */
export const secretMask = () => {
  const secrets = new Set<string>()
  return {
    hide: (secret: string): void => {
      if (secret.length >= shortestSecret) secrets.add(secret).add(JSON.stringify(secret).slice(1, -1))
    },
    masked: (text: string): string => {
      let safe = text
      for (const secret of secrets) safe = safe.replaceAll(secret, "<secret>")
      return safe
    },
  }
}

/** The escape sequences of our own colours. */
const colours = new RegExp(`(${String.fromCharCode(27)}\\[\\d{1,2}m)`, "g")

/** Makes control characters visible, except line ends and tabs. */
const visibleLines = (text: string): string =>
  text.split(/\r?\n/).map((line) => line.split("\t").map(visible).join("\t")).join("\n")

/** The width of a JSON or logfmt log, whose messages are not wrapped. */
const unbroken = 100_000

export const makeOutput = (
  host: Pick<Host, "stdin" | "stdout" | "stderr" | "env">,
  options: {
    readonly noColor: boolean
    /** How lines on stderr are written (`--log-format`). Default: text. */
    readonly log?: { readonly format: LogFormat; readonly now: () => string }
  },
): Context.Tag.Service<typeof Output> => {
  const screen = (stream: NodeJS.WriteStream) => screenOf(stream, host.env, options.noColor)
  // A JSON or logfmt log has no live view and is not cut to a window.
  const log = options.log?.format === "text" ? undefined : options.log
  const hasBottom = host.stderr.isTTY === true && host.env["TERM"] !== "dumb" && log === undefined
  const errScreen = (): Screen => log === undefined ? screen(host.stderr) : { width: unbroken, colour: false }
  const { hide, masked } = secretMask()
  let lost: string | undefined
  host.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE" && !(error.code === "EIO" && host.stdout.isTTY)) lost ??= reasonOf(error)
  })
  // Lost messages are not an error, because the ledger, the reports and the exit code contain the same facts.
  host.stderr.on("error", () => undefined)
  let bottom: ((screen: Screen) => ReadonlyArray<string>) | undefined
  let painted: Painted = []

  /** Keeps our own colours if the screen has colours. Makes all other control characters visible on a terminal, because they could move its cursor or set its title. */
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
    // Lines that have scrolled out of the window can't be overwritten.
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
    // The window can be resized while a command runs.
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
    say: (text, details) =>
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
    hide,
  }
}
