import type { Diagnostic } from "../../domain/diagnostic.ts"
import { visible } from "../../domain/visible.ts"
import { counted } from "../../domain/words.ts"
import { cutToWidth, indented, paints, type Screen, widthOf } from "./screen.ts"

/** Columns left of the caret that stay in sight when a long line has to be cut. */
const before = 20

/** The part of a source line that fits, and where the caret stands below it. */
const excerptOf = (diagnostic: Diagnostic, room: number): { readonly line: string; readonly caret: number } => {
  const left = diagnostic.excerpt.slice(0, diagnostic.column - 1)
  const indent = widthOf(visible(left))
  if (indent < room - 1) return { line: cutToWidth(diagnostic.excerpt, room), caret: indent }
  const kept = Array.from(left).slice(-Math.min(before, Math.max(0, room - 10))).join("")
  return {
    line: cutToWidth("…" + kept + diagnostic.excerpt.slice(diagnostic.column - 1), room),
    caret: 1 + widthOf(visible(kept)),
  }
}

/** One finding: where, what, the line itself with a caret, and what would be right. */
const showDiagnostic = (diagnostic: Diagnostic, screen: Screen): string => {
  const paint = paints(screen)
  const tone = diagnostic.severity === "error" ? paint.bad : paint.warn
  const number = String(diagnostic.line)
  const margin = " ".repeat(number.length + 2)
  const { line, caret } = excerptOf(diagnostic, Math.max(10, screen.width - margin.length - 2))
  const place = `${visible(diagnostic.file)}:${diagnostic.line}:${diagnostic.column}`
  return [
    `${paint.strong(place)} ${tone(diagnostic.severity)}`,
    indented(diagnostic.message, screen.width, 2),
    ...diagnostic.excerpt.trim() === ""
      ? []
      : [
        `${paint.soft(` ${number} │`)} ${line}`,
        `${paint.soft(`${margin}│`)} ${" ".repeat(caret)}${tone("^")}`,
      ],
    ...diagnostic.suggestion === undefined ? [] : [indented(diagnostic.suggestion, screen.width, 2)],
  ].join("\n")
}

/** All findings in the order given, and how many there are. */
export const showDiagnostics = (diagnostics: ReadonlyArray<Diagnostic>, screen: Screen): string => {
  const errors = diagnostics.filter(({ severity }) => severity === "error").length
  const warnings = diagnostics.length - errors
  const counts = [
    ...errors > 0 ? [counted(errors, "error")] : [],
    ...warnings > 0 ? [counted(warnings, "warning")] : [],
  ]
  return [
    ...diagnostics.map((diagnostic) => showDiagnostic(diagnostic, screen)),
    ...counts.length === 0 ? [] : [paints(screen).strong(counts.join(", "))],
  ].join("\n\n")
}

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
