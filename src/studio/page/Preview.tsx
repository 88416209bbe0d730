import { useEffect, useState } from "preact/hooks"
import { fateWords, previewedFate } from "../../domain/fate.ts"
import type { PreviewedRow } from "../../domain/previewedRow.ts"
import { counted, type Label, noSuchRow } from "../../domain/words.ts"
import { call } from "./call.ts"
import { act } from "./controls.tsx"
import type { Bench, Draft } from "./draft.ts"
import { useAnswer } from "./hooks.ts"
import { asCell, badge, more, Problem, safe, Section, table, warning } from "./parts.tsx"
import { capital, preview as t } from "./strings.ts"

/** How many rows are read for the preview. */
const rowsShown = 8

const stateOf = (row: PreviewedRow): Label => {
  const fate = previewedFate(row)
  return fate === undefined ? t.valid : { title: capital(fateWords[fate].title), tone: fateWords[fate].tone }
}

type Preview = Readonly<{ editing: Bench["editing"]; draft: Draft; isBroken: boolean }>

/** Shows what would be sent for a few rows, and one of them answer by answer. */
export const Preview = ({ draft: { text }, editing: { counts, pipeline, visit }, isBroken }: Preview) => {
  const [row, setRow] = useState(1)
  const { isWhole = true, problems = [] } = counts.answer ?? {}
  const first = row - (row - 1) % rowsShown
  const { answer, failed, isStale } = useAnswer(
    async (signal) => ({
      ...await call("draft", "preview", { pipeline, text, row: first, rows: rowsShown }, signal),
      first,
    }),
    [text, first, visit],
    300,
  )
  const rows = answer?.rows ?? []
  const isBeyond = answer?.first === first && row > answer.read
  const shown = rows.find((one) => one.row === row) ?? (isBeyond ? undefined : rows[0])
  useEffect(() => {
    if (row > 1) document.getElementById("preview")?.scrollIntoView({ block: "nearest" })
  }, [row])
  const goTo = (to: string) => setRow(Math.max(1, Math.trunc(Number(to)) || 1))
  const chip = (one: PreviewedRow) => {
    const marks = { class: `chip ${stateOf(one).tone}`, "aria-pressed": one === shown }
    const label = t.row(one.row, stateOf(one).title)
    return (
      <button key={one.row} type="button" {...marks} aria-label={label} onClick={() => setRow(one.row)}>
        {one.row}
      </button>
    )
  }
  return (
    <Section title={t.title} id="preview">
      <Problem failed={isBroken ? undefined : failed} />
      {failed !== undefined && (isBroken || rows.length > 0) && (
        <p class="mark" role="status">{rows.length > 0 ? t.old : t.none}</p>
      )}
      <div class="rows" role="group" aria-busy={isStale} aria-label={t.rows}>
        {act("‹", () => setRow(first - rowsShown), { off: first === 1, label: t.previousRows, repeats: true })}
        {rows.map(chip)}
        {act("›", () => setRow(first + rowsShown), { off: rows.length < rowsShown, label: t.nextRows, repeats: true })}
        <label>
          {t.goTo}{" "}
          <input type="number" min={1} value={row} onChange={({ currentTarget }) => goTo(currentTarget.value)} />
        </label>
      </div>
      {isBeyond && <p role="status">{noSuchRow(row, answer.read)}</p>}
      {shown !== undefined && <Answers of={shown} />}
      {problems.length > 0 && <h3>{t.problems(isWhole)}</h3>}
      {problems.slice(0, 100).map(({ code, column = "", examples, question, rows }) => (
        <p key={`${code} ${column} ${question}`} class="small">
          {counted(rows, "row")}: {safe(`${column} (${code})`)}{" "}
          {examples.map(({ message, row }) => (
            <span key={row} class="example">{act(t.row(row), () => setRow(row), { link: true })} {safe(message)}</span>
          ))}
        </p>
      ))}
      {more(problems.length - 100)}
    </Section>
  )
}

const Answers = ({ of: row, of: { answers, change, key, problems } }: Readonly<{ of: PreviewedRow }>) => {
  const shown = new Set(answers.flatMap((one) => one.problems.map(({ message }) => message)))
  return (
    <>
      <p>
        <strong>{t.row(row.row)}</strong> {key !== undefined && asCell(key)} {badge(stateOf(row))}
      </p>
      {problems.filter(({ message }) => !shown.has(message)).map(({ message }) => warning(message))}
      {change !== undefined && (
        <div class="small">
          {change.note === undefined ? t.changed(change.submissionId) : safe(change.note)}
          {change.answers.map(({ inForm, name, now }) => (
            <p key={name}>{safe(name)} {asCell(inForm)} → {asCell(now)}</p>
          ))}
        </div>
      )}
      {table(
        t.title,
        [t.question, t.source, t.sent],
        answers.map(({ cells, kind, name, problems, value }) => [
          name,
          <>
            {safe(name)} <span class="kind">{kind}</span>
          </>,
          asCell(cells.flatMap(({ text }, index) => text !== "" || index === 0 ? [text] : [])),
          <>
            {asCell(value)}
            {problems.map(({ message }) => warning(message))}
          </>,
        ]),
      )}
    </>
  )
}
