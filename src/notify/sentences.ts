import { fates, verdicts } from "../domain/fate.ts"
import type { Fate, Verdict } from "../domain/fate.ts"
import type { Outcome } from "../domain/run.ts"
import type { Notification } from "./Notification.ts"

/** What each end means, in a sentence. */
const outcomeSentences: { readonly [O in Outcome]: string } = {
  complete: "Complete: nothing is left to do.",
  attention: "Done, and some rows need a person.",
  inDoubt: "Rows are in doubt: they were sent, and it is not known whether they arrived.",
  differing: "Not everything is verified: some submissions differ, are missing or were not read back.",
  stopped: "Stopped to protect the form.",
  unavailable: "Not finished: the service or the source can't be used; the rest is pending.",
  interrupted: "Interrupted; what was in flight was finished and recorded.",
}

const failureSentences: Readonly<Record<number, string>> = {
  2: "It could not begin: the configuration, the mapping, the source or a confirmation is wrong. Nothing was sent.",
  5: "It could not begin: the service can't be used.",
  6: "It did not begin: another run of this pipeline is going on.",
  70: "It failed: a fault in formferry or its ledger.",
}

/** Where the exit status says too little. */
const errorSentences: Readonly<Record<string, string>> = {
  LedgerRefused:
    "It could not begin: its ledger is missing, is not the one that earlier runs wrote, or can't be used. Nothing was sent.",
}

const fateTitles: { readonly [F in Fate]: string } = {
  filtered: "left out",
  duplicate: "duplicate",
  alreadyImported: "already imported",
  changed: "changed",
  invalid: "invalid",
  refused: "refused",
  inDoubt: "in doubt",
  pending: "pending",
  imported: "imported",
}

const verdictTitles: { readonly [V in Verdict]: string } = {
  verified: "verified",
  differing: "differing",
  missing: "missing",
  unread: "not read back",
}

const grouped = (count: number): string => count.toLocaleString("en-US")

const counted = (counts: ReadonlyArray<readonly [title: string, count: number]>): string =>
  counts.filter(([, count]) => count > 0).map(([title, count]) => `${grouped(count)} ${title}`).join(", ")

const rowsLine = ({ problems, readBack, rows }: Notification): ReadonlyArray<string> => {
  if (rows === null || readBack === null) return []
  const read = rows.read === 0 ? "" : `${grouped(rows.read)} read: `
  const by = counted(fates.map((fate) => [fateTitles[fate], rows[fate]]))
  const back = counted(verdicts.map((verdict) => [verdictTitles[verdict], readBack[verdict]]))
  const codes = problems.map(({ code, count }) => `${code} ${grouped(count)}`).join(", ")
  return [
    ...(by === "" ? [] : [`${read}${by}.`]),
    ...(back === "" ? [] : [`Read back: ${back}.`]),
    ...(codes === "" ? [] : [`Problems: ${codes}.`]),
  ]
}

/** What Slack takes for markup in text. */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** The text of a notification, for people: what ended how, the counts, what is unusual, what to do next. */
export const textOf = (notification: Omit<Notification, "text">): string => {
  const { anomalies, error, exitCode, form, mode, next, outcome, pipeline } = notification
  const where = form === null ? "" : ` → ${form.name === "" ? form.id : form.name} (${form.service})`
  const end = outcome === null
    ? errorSentences[error ?? ""] ?? failureSentences[exitCode] ?? `It ended with exit status ${exitCode}.`
    : outcomeSentences[outcome]
  return [
    `*${escaped(pipeline)}*${escaped(where)}${mode === "reconcile" ? ", reconciled" : ""}: ${end}`,
    ...rowsLine({ ...notification, text: "" }),
    ...anomalies.map(({ message, new: fresh }) => `${fresh ? "New: " : "Still: "}${escaped(message)}`),
    ...(next === null ? [] : [`Next: \`${escaped(next)}\``]),
  ].join("\n")
}
