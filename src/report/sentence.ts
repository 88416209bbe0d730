import type { RunReport } from "../domain/run.ts"
import { count, counted } from "./words.ts"

const list = (parts: ReadonlyArray<string>): string =>
  parts.length < 2 ? parts.join("") : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`

const some = (value: number, words: string): ReadonlyArray<string> => (value === 0 ? [] : [`${count(value)} ${words}`])

const proof = ({ readBack }: RunReport, all: number): string =>
  readBack.verified === all ? (all === 1 ? "it is verified" : `all ${count(all)} are verified`) : list([
    ...some(readBack.verified, "verified"),
    ...some(readBack.differing, "differing"),
    ...some(readBack.missing, "missing"),
    ...some(readBack.unread, "not read back yet"),
  ])

const notImported = ({ mode, rows }: RunReport): string =>
  list([
    ...some(rows.alreadyImported, "imported before"),
    ...some(rows.filtered, "left out"),
    ...some(rows.duplicate, rows.duplicate === 1 ? "duplicate" : "duplicates"),
    ...some(rows.changed, "changed since the import"),
    ...some(rows.invalid, "invalid"),
    ...some(rows.refused, "refused"),
    ...some(rows.inDoubt, "in doubt"),
    ...some(rows.pending, mode === "dry-run" ? "ready to be sent" : "left for the next run"),
  ])

/** What came of a run, in one sentence, for someone who was not there. */
export const sentence = (report: RunReport): string => {
  const { mode, readBack, rows } = report
  if (mode === "reconcile") {
    const all = readBack.verified + readBack.differing + readBack.missing + readBack.unread
    return all === 0
      ? "There was no submission to read back."
      : `Of ${counted(all, "imported submission")}, ${proof(report, all)}.`
  }
  if (rows.read === 0) return "No row was read."
  const others = notImported(report)
  const where = mode === "rehearsal" ? " into the practice service" : ""
  const imported = rows.imported === 0
    ? ""
    : `${count(rows.imported)} ${rows.imported === 1 ? "was" : "were"} imported${where} (${
      proof(report, rows.imported)
    })`
  const came = imported === "" ? others : others === "" ? imported : `${imported}; the others: ${others}`
  return `Of ${counted(rows.read, "row")} that ${rows.read === 1 ? "was" : "were"} read, ${came}.`
}
