import { useEffect, useState } from "preact/hooks"
import type { Counts } from "../Api.ts"
import { Board, standing } from "./Board.tsx"
import type { Selection } from "./Board.tsx"
import { Detail } from "./Detail.tsx"
import { useDraft } from "./draft.ts"
import type { Editing } from "./draft.ts"
import { Badge, Diagnostics, Name, Problem, Section, Wide } from "./parts.tsx"
import { Preview } from "./Preview.tsx"
import { count, general, map as t } from "./strings.ts"
import type { Yaml as YamlEditor } from "./Yaml.tsx"

/** The view in which columns are mapped to questions. */
export const MapView = ({ pipeline }: { readonly pipeline: string }) => {
  const editing = useDraft(pipeline)
  const { counts, draft, failed, state, survey } = editing
  const [selected, select] = useState<Selection>()
  const [row, setRow] = useState(1)
  const [Yaml, setYaml] = useState<typeof YamlEditor>()
  useEffect(() => {
    // The editor is most of the page's code.
    void import("./Yaml.tsx").then((loaded) => setYaml(() => loaded.Yaml))
  }, [])
  if (draft === undefined) {
    return (
      <>
        <h1><Name text={pipeline} /></h1>
        <Problem failed={failed} />
        {failed === undefined && <p>{general.loading}</p>}
      </>
    )
  }
  const diagnostics = [...state.answer?.diagnostics ?? [], ...counts.answer?.diagnostics ?? []]
  const here = diagnostics.filter(({ file }) => file === draft.file)
  return (
    <>
      <Status editing={editing} />
      <Problem failed={failed ?? survey.failed ?? state.failed} />
      <div class="workbench">
        <Section title={t.board} id="board">
          {survey.answer === undefined ? <p role="status">{survey.failed === undefined ? t.surveying : ""}</p> : (
            <>
              <p class="soft small">
                {t.surveyed(survey.answer.rows, survey.answer.isWhole, survey.answer.tool)}
                {survey.answer.warnings.slice(0, 3).map((warning) => <span key={warning}>{" "}{warning}</span>)}
              </p>
              <Board
                survey={survey.answer}
                state={state.answer}
                selected={selected}
                select={select}
                map={async (question, columns) => {
                  await editing.edit({ _tag: "Map", question, columns, answers: {} })
                  select({ question })
                }}
                accept={async (question, said) => {
                  const columns = question.candidates[0]?.columns ?? []
                  const edited = await editing.edit(
                    said?.state === "mapped"
                      ? { _tag: "Accept", question: question.id }
                      : { _tag: "Map", question: question.id, columns, answers: {} },
                  )
                  // What an accepted suggestion still leaves open is shown.
                  if (edited?.entry !== undefined && edited.entry.asks.length > 0) select({ question: question.id })
                }}
                reject={(question, said) =>
                  editing.edit({ _tag: said?.state === "mapped" ? "Unmap" : "LeaveUnanswered", question: question.id })}
              />
            </>
          )}
        </Section>
        <div class="side">
          {survey.answer !== undefined && (
            <Detail editing={editing} select={select} selected={selected} state={state.answer} survey={survey.answer} />
          )}
          <Section title={t.yaml} id="yaml" aside={<code class="soft small">{draft.file}</code>}>
            {Yaml === undefined ? <p>{general.loading}</p> : (
              <Yaml
                label={t.yamlOf(draft.file)}
                pipeline={pipeline}
                text={draft.text}
                change={editing.change}
                diagnostics={here}
                line={selected !== undefined && "question" in selected
                  ? state.answer?.questions.find(({ id }) => id === selected.question)?.line
                  : undefined}
              />
            )}
            <Diagnostics of={diagnostics} />
          </Section>
        </div>
      </div>
      <div class="below">
        <Preview pipeline={pipeline} text={draft.text} row={row} setRow={setRow} />
        <Found counts={counts.answer} show={setRow} />
      </div>
    </>
  )
}

/** The name of the draft, what it would send, and what can be done with the whole text. */
const Status = ({ editing }: { readonly editing: Editing }) => {
  const { conflict, counts, draft, pipeline, save, state, takeTheirs } = editing
  const isEdited = draft !== undefined && draft.saved !== draft.text
  const { answer } = counts
  const open = state.answer?.questions.filter((one) => standing(one).tone === "warn").length ?? 0
  const errors = state.answer?.diagnostics.filter(({ severity }) => severity === "error").length ?? 0
  return (
    <div class="status">
      <h1><Name text={pipeline} /></h1>
      <dl class="figures" aria-label={t.figures}>
        <dt>{t.sendable}</dt>
        <dd class="good-text">{answer === undefined ? "…" : count(answer.rows - answer.filtered - answer.invalid)}</dd>
        <dt>{t.invalid}</dt>
        <dd class={answer !== undefined && answer.invalid > 0 ? "warn-text" : ""}>
          {answer === undefined ? "…" : count(answer.invalid)}
        </dd>
        <dt>{t.filtered}</dt>
        <dd>{answer === undefined ? "…" : count(answer.filtered)}</dd>
        <dt>{t.unused}</dt>
        <dd class={(state.answer?.unused.length ?? 0) > 0 ? "warn-text" : ""}>{state.answer?.unused.length ?? "…"}</dd>
        <dt>{t.open}</dt>
        <dd class={open > 0 ? "warn-text" : ""}>{state.answer === undefined ? "…" : open}</dd>
      </dl>
      <p class="soft small" role="status">
        {counts.failed !== undefined
          ? counts.failed.message
          : answer === undefined || counts.isStale && answer.isWhole
          ? t.counting
          : answer.isWhole
          ? t.counted(answer.rows)
          : t.countedPart(answer.rows)}
      </p>
      <p class="acts">
        {errors > 0 && <Badge tone="bad">{t.errors(errors)}</Badge>}
        {isEdited && <Badge tone="warn">{t.edited}</Badge>}
        <button type="button" class="main" disabled={!isEdited} onClick={() => save()}>{t.save}</button>
        <a class="button" href={`#/run/${encodeURIComponent(pipeline)}`}>{t.toRun}</a>
      </p>
      {conflict !== undefined && (
        <div class="problem" role="alert">
          <p>{t.conflict}</p>
          <details>
            <summary>{t.theirs}</summary>
            <pre tabIndex={0}>{conflict.text}</pre>
          </details>
          <p class="acts">
            <button type="button" onClick={() => save(conflict.version)}>{t.keepMine}</button>
            <button type="button" onClick={takeTheirs}>{t.takeTheirs}</button>
          </p>
        </div>
      )}
    </div>
  )
}

/** Problems of rows, with links to a few of them. */
const Found = ({ counts, show }: { readonly counts: Counts | undefined; readonly show: (row: number) => void }) =>
  counts === undefined || counts.problems.length === 0 ? null : (
    <Section title={t.problems}>
      <Wide label={t.problems}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">{t.rows}</th>
              <th scope="col">{t.problem}</th>
              <th scope="col">{t.examples}</th>
            </tr>
          </thead>
          <tbody>
            {counts.problems.slice(0, 100).map(({ code, column = "", examples, question = "", rows }) => (
              <tr key={`${code} ${column} ${question}`}>
                <td class="number">{count(rows)}</td>
                <td><Name text={column} /> <code>{code}</code></td>
                <td>
                  {examples.slice(0, 3).map((example) => (
                    <p key={example.row}>
                      <button type="button" class="link" onClick={() => show(example.row)}>{t.row(example.row)}</button>{" "}
                      <Name text={example.message} />
                    </p>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </Section>
  )
