import picocolors from "picocolors"
import type { Tone } from "../../report/words.ts"

/** What a text is made for: how wide the place is, and whether it takes colours. */
export interface Screen {
  /** Columns, at least 20. */
  readonly width: number
  readonly colour: boolean
}

/**
 * The screen that a stream of the terminal gives. Colours only on a terminal, unless NO_COLOR is set to anything (no-color.org), `--no-color` is given or the terminal is a dumb
 * one. What is not a terminal (a file, a pipe) gets 100 columns: wide enough to read, not cut to a window that nobody looks at.
 */
export const screenOf = (
  { columns = 0, isTTY }: { readonly isTTY?: boolean; readonly columns?: number | undefined },
  env: NodeJS.ProcessEnv,
  noColor: boolean,
): Screen => ({
  width: isTTY === true && columns > 0 ? Math.max(20, columns) : 100,
  colour: isTTY === true && !noColor && !env["NO_COLOR"] && env["TERM"] !== "dumb",
})

export type Paint = (text: string) => string

/** Paints for a screen; without colours they leave a text as it is. */
export const paints = (screen: Screen): { readonly [P in Tone | "strong" | "soft"]: Paint } => {
  const colours = picocolors.createColors(screen.colour)
  return {
    strong: colours.bold,
    soft: colours.dim,
    good: colours.green,
    calm: (text) => text,
    warn: colours.yellow,
    bad: colours.red,
  }
}
