import { useEffect, useRef, useState } from "preact/hooks"
import { fateWords, rejectedIn, verdictWords } from "../../domain/fate.ts"
import type { RejectedLine } from "../../domain/rejectedLine.ts"
import { modeMarks, modeWords, outcomeWord, reasonsOf } from "../../domain/run.ts"
import { isWebAddress } from "../../domain/visible.ts"
import { count, numbers } from "../../domain/words.ts"
import type { Calls, Job, Settled } from "../Api.ts"
import { addressOf, call, reportOf, send } from "./call.ts"
import { act, check, Drop, input, pickTarget, type Targets } from "./controls.tsx"
import { useAnswer, useDoing } from "./hooks.ts"
import {
  asCell,
  badge,
  figures,
  nextCommand,
  Problem,
  safe,
  Section,
  table,
  type TableRow,
  warning,
  wordsWith,
} from "./parts.tsx"
import { capital, general, results as t, when } from "./strings.ts"

type Results = Calls["results"]["report"]["success"]

type ResultsView = Readonly<
  { pipeline: string; run: string | undefined; targets: Targets; jobs: ReadonlyMap<string, Job> }
>

/** The view of what a run did, and of what is left to do about it. */
export const ResultsView = ({ jobs, pipeline, run, targets }: ResultsView) => {
  // A run that ends becomes the latest one.
  const ended = [...jobs.values()].filter((job) => job.pipeline === pipeline && job.state._tag === "Ended").length

  const [chosen, choose] = useState<string>()
  const [isSettling, setSettling] = useState(false)
  const { answer, failed } = useAnswer(
    (signal) => call("results", "report", { pipeline, ...run !== undefined && { run } }, signal),
    [pipeline, run, run === undefined && ended],
  )
  const { form: { id, service } = {}, rows } = answer?.report ?? {}
  const rejected = rows === undefined ? 0 : rejectedIn(rows)
  const own = targets.find((one) => one.service === service && one.form === id)?.to
  const to = chosen ?? own
  const isKnown = failed?.code !== "PipelineUnknown"
  return (
    <>
      <h1>{safe(pipeline)}</h1>
      <Problem failed={failed} />
      {answer && <Summary of={answer} />}
      {rejected > 0 && answer && (
        <Rejected key={answer.report.run} pipeline={pipeline} to={own ?? to} run={answer.report.run} />
      )}
      {pickTarget(targets, to, choose, isSettling)}
      {isKnown && (to !== undefined || targets.length === 0) && (
        <Doubts key={to} pipeline={pipeline} to={to} ended={ended} setBusy={setSettling} />
      )}
      {answer && <Differences of={answer.report.differences} />}
      {answer?.warnings.map((text) => warning(text))}
      {answer && <History pipeline={pipeline} of={answer} />}
    </>
  )
}

const Summary = ({ of: { report } }: Readonly<{ of: Results }>) => {
  const { anomalies, mode, next, pipeline, readBack, rows, run, startedAt, warnings } = report
  const parts = wordsWith(fateWords, rows).filter((part) => part.count > 0)
  const verdicts = wordsWith(verdictWords, readBack)
  return (
    <Section title={t.summary(modeWords[mode], when(startedAt))} word={outcomeWord(report)} isToned>
      {modeMarks[mode] && (
        <p class="mark">
          <strong>{modeWords[mode].toUpperCase()}</strong> {modeMarks[mode]}
        </p>
      )}
      {reasonsOf(report).map((reason) => <p key={reason}>{safe(reason)}</p>)}
      {mode !== "reconcile"
        && figures([{ title: t.read, count: rows.read }, ...parts], { size: "large", shares: parts })}
      {verdicts.some((one) => one.count > 0)
        && [<h3 key={1}>{t.readBack}</h3>, figures(verdicts, { label: t.readBack })]}
      {anomalies?.map(({ code, sentence }) => <p key={code} class="warn-text">{safe(sentence)}</p>)}
      {warnings.map((warning) => <p key={warning} class="soft small">{safe(warning)}</p>)}
      {nextCommand(next)}
      <p class="acts">
        <a href={reportOf(pipeline, run)} target="_blank" rel="noopener">{t.fullReport}</a>
      </p>
    </Section>
  )
}

/** How many rejected rows are shown at first, and how many more each time. */
const pageSize = 50

/** The fixed cells of each run that are not saved yet. They are kept while another view is shown. */
const unsaved = new Map<string, ReadonlyMap<string, string>>()

/** Whether this tab has fixed cells that are not saved. */
export const isFixing = (): boolean => unsaved.size > 0

/** Rejected rows, whose cells can be fixed in place. */
const Rejected = ({ pipeline, run, to }: Readonly<{ pipeline: string; to: string | undefined; run: string }>) => {
  const [size, setSize] = useState(pageSize)
  const [round, setRound] = useState(0)
  const [open, setOpen] = useState<string>()
  const opening = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (open !== undefined) opening.current?.focus()
  }, [open])
  const [changed, setChanged] = useState<ReadonlyMap<string, string>>(unsaved.get(run) ?? new Map())
  if (changed.size > 0) unsaved.set(run, changed)
  else unsaved.delete(run)
  const doing = useDoing()
  /** The version of the rows from which someone last saved fixes. */
  const [savedFrom, setSavedFrom] = useState<string>()
  const { answer, failed } = useAnswer(
    (signal) => call("results", "rejected", { pipeline, run, rows: size }, signal),
    [size, round],
  )
  if (answer === undefined) return <Problem failed={failed} />
  const { columns, isFixed, rows, total, unfixable, version } = answer
  // A conflict ends once newer rows are shown.
  const isConflict = doing.failed?.version !== undefined
  const problem = isConflict && savedFrom !== version ? undefined : doing.failed
  const save = async () => {
    setSavedFrom(version)
    const cells = [...changed].map(([place, text]) => {
      const [row, column] = JSON.parse(place)
      return { row, column, text }
    })
    if (cells.length > 0) await call("results", "fix", { pipeline, run, version, cells })
    // Other cells may have been changed meanwhile.
    setChanged((now) => new Map([...now].filter(([place, text]) => changed.get(place) !== text)))
    setRound((before) => before + 1)
  }
  const sendFixed = async () => {
    await save()
    await call("runs", "start", { pipeline, to, mode: "run", fixedOf: run })
    location.hash = addressOf("run", pipeline)
  }
  const field = ({ cells, isSent, isUnread, name, row, wrong }: RejectedLine, column: number, isOpen = false) => {
    const place = JSON.stringify([name, column])
    const title = columns[column] ?? ""
    // Any cell of a row that could not be read may be wrong, so it is changed only where all of them are shown.
    if (unfixable !== undefined || isSent || (isUnread && !isOpen)) return asCell(changed.get(place) ?? cells[column])
    // An `input` removes line breaks.
    const Field = (/[\r\n]/.test(cells[column] ?? "") ? "textarea" : "input") as "input"
    return (
      <Field
        aria-label={t.cellOf(title, row)}
        class={changed.has(place) ? "good" : wrong.includes(title) ? "warn" : ""}
        value={changed.get(place) ?? cells[column] ?? ""}
        onInput={({ currentTarget: { value } }) => {
          const others = [...changed].filter(([other]) => other !== place)
          setChanged(new Map(value === cells[column] ? others : [...others, [place, value]]))
        }}
      />
    )
  }
  const shown = columns.flatMap((title, index) => rows.some(({ wrong }) => wrong.includes(title)) ? [index] : [])
  const isSame = changed.size === 0
  // If no column is named as the cause, all cells are shown.
  const opened = rows.find(({ name, wrong }) => open === undefined ? wrong.length === 0 : name === open)
  return (
    <Section title={t.rejected(total)} word={isFixed && { tone: "calm", title: t.fixedFile }}>
      <p class="soft small">{unfixable ?? t.rejectedHint}</p>
      {table(
        t.rejected(total),
        [numbers(t.row), t.key, t.why, ...shown.map((column) => columns[column] ?? ""), t.allCells],
        rows.map((row): TableRow => [
          row.name,
          row.row,
          asCell(row.key),
          <span key="reason" class="reason">{row.isSent ? t.sentFixed : safe(row.message)}</span>,
          ...shown.map((column) => field(row, column)),
          act(t.show, () => setOpen(row.name === opened?.name ? "" : row.name), {
            label: t.allCellsOf(row.row),
            expanded: row.name === opened?.name,
          }),
        ]),
        total,
      )}
      {opened !== undefined && <h3 tabIndex={-1} ref={opening}>{t.cellsOfRow(opened.row)}</h3>}
      {opened !== undefined && (
        <dl class="cells">
          {columns.map((title, column) => (
            <div key={column}>
              <dt>{safe(title)}</dt>
              <dd>{field(opened, column, true)}</dd>
            </div>
          ))}
        </dl>
      )}
      {opened !== undefined && opened.beyond.length > 0 && <p>{t.beyond} {asCell(opened.beyond)}</p>}
      {total > rows.length && act(t.showMore, () => setSize(size + pageSize))}
      <Problem failed={problem} />
      {isConflict && problem !== undefined && act(t.readAgain, () => setRound(round + 1))}
      {unfixable === undefined && (
        <p class="acts">
          {act(t.save, () => doing.run(save), { off: doing.busy || isSame })}
          {act(t.sendFixed, () => doing.run(sendFixed), { main: true, off: doing.busy || (isSame && !isFixed) })}
          <span role="status" class="soft small">{t.unsaved(changed.size)}</span>
        </p>
      )}
    </Section>
  )
}

/** How rows of a pipeline at a target were last settled on this page, and how many jobs had ended. It is kept while another view is shown. */
const lastSettled = new Map<string, Settled & Readonly<{ ended: number }>>()

const rowsOf = ({ left, rows }: Settled) => JSON.stringify([left, rows.map(({ key, sentAt }) => [key, sentAt])])

type DoubtsView = Readonly<{ pipeline: string; to: string | undefined; ended: number; setBusy: (is: boolean) => void }>

/** Rows in doubt at a target. An export of the form's results settles them. */
const Doubts = ({ ended, pipeline, setBusy, to }: DoubtsView) => {
  const place = JSON.stringify([pipeline, to])
  const settled = lastSettled.get(place)
  const [complete, setComplete] = useState(false)
  const [because, setBecause] = useState("")
  const { busy, failed, run } = useDoing()
  const doubts = useAnswer((signal) => call("results", "doubts", { pipeline, to }, signal), [settled, ended])
  if (doubts.answer === undefined) return <Problem failed={doubts.failed} />
  // What was settled is shown only as long as exactly the same rows are in doubt.
  const last = settled?.ended === ended && rowsOf(settled) === rowsOf(doubts.answer) ? settled : undefined
  const { advice, left, rows } = last ?? doubts.answer
  if (left === 0 && last === undefined) return null
  const settle = (file: File) =>
    run(async () => {
      const about = { pipeline, ...to && { to }, name: file.name, complete: `${complete}`, ...complete && { because } }
      setBusy(true)
      lastSettled.set(place, { ...await send("results", "settle", about, file), ended })
    }).finally(() => setBusy(false))
  return (
    <Section title={t.doubts(left)}>
      {left > 0 && <p class="soft">{t.doubtsWhy}</p>}
      {last !== undefined && (
        <div class="next" role="status">
          {[...last.done, ...last.warnings].map((line) => <p key={line}>{safe(line)}</p>)}
        </div>
      )}
      {advice.length > 0 && <div class="next">{advice.map((line) => <p key={line}>{safe(line)}</p>)}</div>}
      <Problem failed={failed ?? doubts.failed} />
      {left > 0 && (
        <>
          {table(
            t.doubts(left),
            [numbers(t.row), t.key, t.sent, t.why],
            rows.map(({ key, reason, row, sentAt }) => [key, count(row), asCell(key), when(sentAt), safe(reason)]),
            left,
          )}
          <p>{check(t.complete, complete, setComplete)}</p>
          {complete && <div class="fields">{input(t.because, because, setBecause)}</div>}
          <Drop label={t.dropExport} hint={t.dropHint} busy={busy && general.sending} take={settle} />
        </>
      )}
    </Section>
  )
}

/** Makes a link to a web address. Shows any other address, such as `javascript:`, as text. */
const editLink = (row: number, to: string) =>
  isWebAddress(to)
    ? <a href={to} rel="noreferrer noopener" target="_blank" aria-label={t.editRow(row)}>{t.edit}</a>
    : asCell(to)

const Differences = ({ of }: Readonly<{ of: Results["report"]["differences"] }>) =>
  of.length === 0 ? null : (
    <Section title={t.differences(of.length)}>
      {table(
        t.differences(of.length),
        [numbers(t.row), t.key, t.question, t.sent, t.returned, t.edit],
        of.slice(0, 200).map((one) => [
          `${one.submissionId} ${one.question}`,
          count(one.row),
          asCell(one.key),
          safe(one.name),
          asCell(one.sent),
          asCell(one.returned),
          one.editLink != null && editLink(one.row, one.editLink),
        ]),
        of.length,
      )}
    </Section>
  )

const History = ({ of: { allRuns, report, runs }, pipeline }: Readonly<{ pipeline: string; of: Results }>) => (
  <Section title={t.history}>
    {table(
      t.history,
      [t.started, t.mode, t.form, numbers(capital(t.read)), numbers(capital(fateWords.imported.title)), t.outcome],
      runs.map(({ form, mode, needReview, outcome, rows, run, startedAt }) => [
        run,
        <a href={addressOf("results", pipeline, run)} aria-current={run === report.run ? "true" : undefined}>
          {when(startedAt)}
        </a>,
        modeWords[mode],
        safe(form.name),
        count(rows.read),
        count(rows.imported),
        badge(outcomeWord({ needReview, outcome })),
      ]),
      allRuns,
    )}
  </Section>
)
