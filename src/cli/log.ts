import { HashMap, Logger } from "effect"

export const logFormats = ["text", "json", "logfmt"] as const

/** How lines on stderr are written: for people, or one object a line for machines. */
export type LogFormat = (typeof logFormats)[number]

/** What stands beside the words of a line that was logged. */
export interface LogDetails {
  /** As Effect labels it: INFO, WARN, … */
  readonly level: string
  readonly annotations: Readonly<Record<string, unknown>>
  /** A command's own words to its user: in text, no level stands before them. */
  readonly own?: boolean
}

/** Something to tell on stderr. */
export interface LogLine {
  readonly text: string
  /** Absent for what a command tells its user. */
  readonly details: LogDetails | undefined
  /** ISO 8601. */
  readonly at: string
}

const scalar = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value) ?? String(value))

const logfmt = (value: string): string => (/^[\w.:/+-]+$/.test(value) ? value : JSON.stringify(value))

/** A line of a log, in the names that Effect's own loggers use. */
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

/** Logs go to stderr, a line each, level first; how they are written is the output's business. */
export const logger = (tell: (text: string, details: LogDetails) => void) =>
  Logger.make<unknown, void>(({ annotations, logLevel, message }) => {
    const words = (Array.isArray(message) ? message : [message]).map((word) =>
      typeof word === "string" ? word : word instanceof Error ? word.message : JSON.stringify(word)
    )
    tell(words.join(" "), {
      level: logLevel.label,
      annotations: Object.fromEntries(HashMap.toEntries(annotations)),
    })
  })
