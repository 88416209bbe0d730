import { useEffect } from "preact/hooks"
import type { PreviewedRow } from "../Api.ts"
import { call } from "./call.ts"
import { Badge, Name, Problem, Section, useAnswer, Value, Wide } from "./parts.tsx"
import { preview as t } from "./strings.ts"

/** How many rows are read for the preview. */
const rowsShown = 8

/** Shows what would be sent for a few rows, and one of them answer by answer. */
export const Preview = (
  { pipeline, row, setRow, text }: {
    readonly pipeline: string
    readonly text: string
    readonly row: number
    readonly setRow: (row: number) => void
  },
) => {
  const first = Math.max(1, row - (row - 1) % rowsShown)
  const { answer, failed, isStale } = useAnswer(
    (signal) => call("draft", "preview", { pipeline, text, row: first, rows: rowsShown }, signal),
    [text, first],
    300,
  )
  const rows = answer?.rows ?? []
  const shown = rows.find((one) => one.row === row) ?? rows[0]
  useEffect(() => {
    if (row > 1) document.getElementById("preview")?.scrollIntoView({ block: "nearest" })
  }, [row])
  return (
    <Section title={t.title} id="preview" aside={<span class="soft small" role="status">{isStale ? t.reading : ""}</span>}>
      <Problem failed={failed} />
      <div class="rows" role="group" aria-label={t.rows}>
        <button type="button" disabled={first === 1} onClick={() => setRow(first - rowsShown)}>{t.previous}</button>
        {rows.map((one) => (
          <button
            key={one.row}
            type="button"
            class={`chip ${one.filtered ? "calm" : one.valid ? "good" : "warn"}`}
            aria-pressed={one.row === shown?.row}
            aria-label={t.row(one.row, one.filtered ? "filtered" : one.valid ? "valid" : "invalid")}
            onClick={() => setRow(one.row)}
          >
            {one.row}
          </button>
        ))}
        <button type="button" disabled={rows.length < rowsShown} onClick={() => setRow(first + rowsShown)}>{t.next}</button>
        <label>
          {t.goTo}{" "}
          <input
            type="number"
            min={1}
            value={row}
            onChange={({ currentTarget }) => setRow(Math.max(1, Math.trunc(Number(currentTarget.value)) || 1))}
          />
        </label>
      </div>
      {answer?.warnings.map((warning) => <p key={warning} class="warn-text">{warning}</p>)}
      {shown !== undefined && <Answers of={shown} />}
    </Section>
  )
}

const Answers = ({ of }: { readonly of: PreviewedRow }) => {
  const loose = of.problems.filter(({ message }) => of.answers.every(({ problems }) => problems.every((one) => one.message !== message)))
  return (
    <>
      <p>
        <strong>{t.rowNumber(of.row)}</strong> {of.key !== undefined && <><span class="soft">{t.key}</span> <Value of={of.key} />{" "}</>}
        <Badge tone={of.filtered ? "calm" : of.valid ? "good" : "warn"}>
          {t.states[of.filtered ? "filtered" : of.valid ? "valid" : "invalid"]}
        </Badge>
      </p>
      {loose.map(({ message }) => <p key={message} class="warn-text"><Name text={message} /></p>)}
      {of.change !== undefined && (
        <p class="small">
          {t.changed(of.change.submissionId)} {of.change.note}{" "}
          {of.change.answers.map(({ inForm, name, now }) => (
            <span key={name}><Name text={name} />: <Value of={inForm} /> → <Value of={now} />{" "}</span>
          ))}
        </p>
      )}
      <Wide label={t.title}>
        <table class="answers">
          <thead>
            <tr>
              <th scope="col">{t.question}</th>
              <th scope="col">{t.source}</th>
              <th scope="col">{t.sent}</th>
            </tr>
          </thead>
          <tbody>
            {of.answers.map((answer) => (
              <tr key={answer.name}>
                <th scope="row"><Name text={answer.name} /> <span class="kind">{answer.kind}</span></th>
                <td>
                  {answer.cells.filter(({ text }, index) => text !== "" || index === 0).map((cell) => (
                    <span key={cell.column} class="cell"><Value of={cell.text} /></span>
                  ))}
                </td>
                <td>
                  <Value of={answer.value} />
                  {answer.problems.map(({ message }) => <p key={message} class="warn-text"><Name text={message} /></p>)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </>
  )
}
