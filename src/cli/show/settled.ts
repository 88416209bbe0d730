import { visible } from "../../domain/visible.ts"
import type { SettleResult } from "../../jobs/settle.ts"
import { counted } from "../../report/words.ts"
import { cutToWidth, wrapToWidth } from "./fit.ts"
import { paints } from "./Screen.ts"
import type { Screen } from "./Screen.ts"
import { table } from "./table.ts"

/** Rows that the table shows; `--json` has all of them. */
const most = 50

/** What `settle` did: each row with what it turned out to be and why, the sums, and what comes next. */
export const showSettled = (result: SettleResult, screen: Screen): string => {
  const paint = paints(screen)
  const { file, landed, left, notLanded, pipeline, rows } = result
  if (rows.length === 0) return `No row of ${visible(pipeline)} is in doubt.`
  const tone = { landed: paint.good, "not landed": paint.strong, "in doubt": paint.bad } as const
  const sums = [
    ...(landed > 0 ? [`${counted(landed, "row")} landed`] : []),
    ...(notLanded > 0 ? [`${counted(notLanded, "row")} did not land`] : []),
    left === 0 ? "nothing is left in doubt" : `${counted(left, "row")} in doubt still`,
  ].join(", ")
  const next = landed + notLanded === 0
    ? []
    : wrapToWidth(
      `The next run of ${visible(pipeline)} ${
        [
          ...(rows.some((row) => row.submissionId !== undefined) ? ["reads back what landed"] : []),
          ...(notLanded > 0 ? ["sends what did not"] : []),
        ].join(" and ") || "knows it"
      }.`,
      screen.width,
    )
  return [
    ...(file === undefined ? [] : [
      paint.soft(
        cutToWidth(
          `${visible(file.name)}: ${counted(file.submissions, "submission")}${
            file.lacking === 0 ? "" : `; it lacks ${file.lacking} that the ledger knows`
          }`,
          screen.width,
        ),
      ),
    ]),
    table(
      [{ title: "row", right: true }, { title: "key" }, { title: "batch", right: true }, { title: "is" }, {
        title: "because",
      }],
      rows.slice(0, most).map((row) => [
        String(row.row),
        cutToWidth(visible(row.key), 40),
        String(row.batch),
        { text: row.outcome, paint: tone[row.outcome] },
        visible(row.reason),
      ]),
      screen,
    ),
    ...(rows.length > most ? [`… and ${rows.length - most} more; --json shows all`] : []),
    paint.strong(`${sums}.`),
    ...next,
    ...(left === 0 ? [] : advice(result).flatMap((line) => wrapToWidth(line, screen.width))),
  ].join("\n")
}

/** What to do about rows that an export does not settle. */
const advice = ({ testEntry, wants }: SettleResult): ReadonlyArray<string> => {
  const vouch = "If you know that the export has all submissions of the form, say so: --complete --because TEXT."
  switch (wants) {
    case undefined:
      return []
    case "time":
      return ["Settle again later, with a new download of the form's results."]
    case "another export":
      return [
        "Download all of the form's results again, without a filter and as the form shows them, and settle from that.",
      ]
    case "a witness":
      return [
        `To show that an export is late enough, open the form, submit a test entry with the text ${testEntry} in any text question, then download all results again and settle from that. You can delete the test entry afterwards.`,
        "Or settle after a later run has imported something.",
        vouch,
      ]
    case "a vouched export":
      return [vouch]
    case "a person":
      return ["Look at these rows in the form's results, then say --as landed or --as not-landed."]
  }
}
