import type { Diagnostic } from "../../domain/diagnostic.ts"
import { visible } from "../../domain/visible.ts"
import { counted } from "../../domain/words.ts"
import { cutToWidth, indented, paints, type Screen, widthOf } from "./screen.ts"

/** The number of columns to the left of the caret that stay visible when a long line is cut. */
const before = 20

/** Returns the part of a source line that fits, and the column of the caret below it. */
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

/** Shows one finding: the place, the message, the line with a caret, and the suggestion. */
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

/** Shows all findings in their order, and their number. */
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
