import type { Diagnostic } from "../../domain/diagnostic.ts"

/** Text of an annotation: a line end would end it, and a percent sign begins an escape. */
const data = (text: string): string => text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A")

/** A property: also the signs that end properties. */
const property = (text: string): string => data(text).replaceAll(":", "%3A").replaceAll(",", "%2C")

/**
 * A finding as a workflow command of GitHub Actions, which shows it at its line of a pull request.
 *
 * @param file its file as the repository knows it
 */
export const annotation = (
  { column, line, message, severity, suggestion }: Pick<
    Diagnostic,
    "severity" | "line" | "column" | "message" | "suggestion"
  >,
  file: string,
): string =>
  `::${severity} file=${property(file)},line=${line},col=${column},title=formferry::${
    data(suggestion === undefined ? message : `${message}\n${suggestion}`)
  }`
