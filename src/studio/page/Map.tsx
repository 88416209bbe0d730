import { useRef, useState } from "preact/hooks"
import type { DraftState } from "../../domain/draft.ts"
import { fateWords } from "../../domain/fate.ts"
import { Board, isUndecided } from "./Board.tsx"
import { addressOf } from "./call.ts"
import { act } from "./controls.tsx"
import { Detail } from "./Detail.tsx"
import { type Bench, type Selection, useDraft } from "./draft.ts"
import { badge, Diagnostics, figures, more, Problem, safe, Section, wordsWith } from "./parts.tsx"
import { Preview } from "./Preview.tsx"
import { general, map as t } from "./strings.ts"
import { Yaml } from "./Yaml.tsx"

/** The view in which columns are mapped to questions. */
export const MapView = ({ pipeline }: Readonly<{ pipeline: string }>) => {
  const editing = useDraft(pipeline)
  const { counts, draft, failed } = editing
  const { answer: state, failed: unread } = editing.state
  const { answer: survey, failed: unsurveyed, isStale } = editing.survey
  const [selected, select] = useState<Selection>({})
  const [jump, jumpTo] = useState<{ readonly at: number }>()
  // While the text can't be read, the last questions stay.
  const readable = useRef<DraftState>(undefined)
  if (state !== undefined && state.questions.length > 0) readable.current = state
  if (draft === undefined) return failed ? <Problem failed={failed} /> : <h1>{general.loading}</h1>
  const known = readable.current ?? state
  const bench = survey && known && { editing, survey, state: known, selected, select, show: jumpTo }
  const diagnostics = [...state?.diagnostics ?? [], ...counts.answer?.diagnostics ?? []]
  const isBroken = diagnostics.some(({ severity }) => severity === "error")
  const warnings = survey?.warnings.filter((text) => diagnostics.every(({ message }) => message !== text)) ?? []
  return (
    <>
      <Status editing={editing} known={known} />
      <Problem failed={failed ?? (isBroken ? undefined : unsurveyed ?? unread)} />
      <div class="workbench">
        <Section title={t.board}>
          <p class="soft small" role="status">
            {survey && t.surveyed(survey.rows, survey.isWhole, survey.tool)}
            {survey === undefined && (isStale ? t.surveying : t.unsurveyed)}
          </p>
          {warnings.slice(0, 3).map((text) => <p key={text} class="soft small">{safe(text)}</p>)}
          {more(warnings.length - 3)}
          {bench !== undefined && <Board {...bench} />}
        </Section>
        <div class="side">
          {bench !== undefined && <Detail {...bench} />}
          <Preview editing={editing} draft={draft} isBroken={isBroken} />
          <Section title={draft.file} id="text">
            <Yaml
              editing={editing}
              draft={draft}
              diagnostics={diagnostics.filter(({ file }) => file === draft.file)}
              line={state?.questions.find(({ id }) => id === selected.question)?.line}
              jump={jump}
            />
            <Diagnostics of={diagnostics} label={t.diagnostics} />
          </Section>
        </div>
      </div>
    </>
  )
}

/** The name of the draft, what it would send, and what can be done with the whole text. */
const Status = ({ editing, known }: Readonly<{ editing: Bench["editing"]; known: DraftState | undefined }>) => {
  const { conflict, counts: { answer, failed, isStale }, draft, pipeline, save, state, takeTheirs } = editing
  const survey = editing.survey.answer
  const isEdited = draft !== undefined && draft.saved !== draft.text
  const open = survey && known?.questions.filter(isUndecided).length
  const errors = state.answer?.diagnostics.filter(({ severity }) => severity === "error").length ?? 0
  // If the text has mistakes, its rows can't be counted, and the figures of an earlier text stay.
  const isOld = failed !== undefined && answer !== undefined
  const isCounting = answer === undefined || (isStale && answer.isWhole)
  const counted = isCounting ? t.counting : t.counted(answer.rows, answer.isWhole, answer.to)
  const others = wordsWith(fateWords, answer && { ...answer.fates, pending: 0 }).filter((one) => one.count > 0)
  const unused = survey && known?.unused.length
  const cells = survey && known?.unused.reduce((sum, at) => sum + (survey.columns[at - 1]?.filled ?? 0), 0)
  return (
    <div class={isOld ? "status old" : "status"}>
      <h1>{safe(pipeline)}</h1>
      {figures([
        { title: t.sendable, count: answer?.fates.pending, tone: "good" },
        ...others,
        { title: t.unused(unused), count: unused, tone: "warn" },
        { title: t.unusedCells(cells), count: cells, tone: "warn" },
        { title: t.open(open), count: open, tone: "warn" },
      ], { label: t.figures })}
      <p class="soft small" role="status">
        {failed === undefined && (isStale || answer !== undefined) && safe(`${counted} ${answer?.note ?? ""}`)}
        {failed !== undefined && errors === 0 && safe(failed.message)}{" "}
        {isOld && <span class="mark">{t.oldFigures}</span>}
      </p>
      <p class="acts">
        {errors > 0 && badge({ tone: "bad", title: t.errors(errors) })}
        {isEdited && badge({ tone: "warn", title: t.edited })}
        {act(t.save, () => save(), { main: true, off: !isEdited })}
        <a class="button" href={addressOf("run", pipeline)}>{t.toRun}</a>
      </p>
      {conflict !== undefined && (
        <div class="problem" role="alert">
          <p>{safe(conflict.message)}</p>
          <details>
            <summary>{t.theirs}</summary>
            <pre tabIndex={0}>{conflict.text}</pre>
          </details>
          <p class="acts">
            {act(t.keepMine, () => save(conflict.version))}
            {act(t.takeTheirs, takeTheirs)}
          </p>
        </div>
      )}
    </div>
  )
}
