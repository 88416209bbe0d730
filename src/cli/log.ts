import { HashMap, Logger } from "effect"

export const logFormats = ["text", "json", "logfmt"] as const

/** How lines on stderr are written: for people, or one record a line for programs. */
export type LogFormat = (typeof logFormats)[number]

/** The details of a logged line. */
export interface LogDetails {
  /** As Effect labels it: INFO, WARN, … */
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
  /** Whether it is a message of the command. As text it has no level. */
  readonly own?: boolean
}

/** A line for stderr. */
export interface LogLine {
  readonly text: string
  /** Undefined for a message of the command. */
  readonly details: LogDetails | undefined
  /** ISO 8601. */
  readonly at: string
}

const scalar = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value) ?? String(value))

const logfmt = (value: string): string => (/^[\w.:/+-]+$/.test(value) ? value : JSON.stringify(value))

/** Formats a line. The names are those of Effect's loggers. */
export const logLine: { readonly [F in LogFormat]: (line: LogLine) => string } = {
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

/** Returns a logger that writes to stderr. */
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
