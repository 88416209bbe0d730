import { useState } from "preact/hooks"
import type { Calls, RejectedRows, Settled } from "../Api.ts"
import { call, send } from "./call.ts"
import type { Failed } from "./call.ts"
import { Badge, Drop, Name, Problem, Section, Shares, useAnswer, useDoing, Value, visible, Wide } from "./parts.tsx"
import { count, fates, general, modes, outcomes, results as t, verdicts, when } from "./strings.ts"

type Report = Calls["results"]["report"]["success"]

/** The view of what a run did, and of what is left to do about it. */
export const ResultsView = ({ pipeline, run }: { readonly pipeline: string; readonly run: string | undefined }) => {
  const { answer, failed } = useAnswer(
    (signal) => call("results", "report", { pipeline, ...run !== undefined && { run } }, signal),
    [pipeline, run],
  )
  const [settled, setSettled] = useState(0)
  const doubts = useAnswer((signal) => call("results", "doubts", { pipeline }, signal), [pipeline, settled])
  return (
    <>
      <h1><Name text={pipeline} /></h1>
      <Problem failed={failed} />
      {answer === undefined ? failed === undefined && <p>{general.loading}</p> : (
        <>
          <Summary of={answer} />
          {answer.rejected > 0 && <Rejected pipeline={pipeline} run={answer.report.run} />}
        </>
      )}
      {doubts.answer !== undefined && (doubts.answer.left > 0 || settled > 0) && (
        <Doubts pipeline={pipeline} now={doubts.answer} again={() => setSettled((before) => before + 1)} />
      )}
      <Problem failed={doubts.failed} />
      {answer !== undefined && (
        <>
          <Differences of={answer.report} />
          <History pipeline={pipeline} of={answer} />
        </>
      )}
    </>
  )
}

/** Makes a link to a web address. Shows any other address as text. */
const WebLink = ({ to, text, label }: { readonly to: string; readonly text: string; readonly label: string }) =>
  /^https?:\/\//i.test(to)
    ? <a href={to} rel="noreferrer noopener" target="_blank" aria-label={label}>{text}</a>
    : <code>{visible(to)}</code>

const Summary = ({ of: { report } }: { readonly of: Report }) => {
  const { title, tone } = outcomes[report.outcome]
  const parts = Object.entries(fates).map(([fate, word]) => ({ ...word, count: report.rows[fate as "imported"] }))
  const folder = `/reports/${encodeURIComponent(report.pipeline)}/${encodeURIComponent(report.run)}`
  return (
    <section class={`summary ${tone}`} aria-labelledby="summary">
      <div class="head">
        <h2 id="summary">{t.summary(modes[report.mode], when(report.startedAt))}</h2>
        <Badge tone={tone}>{title}</Badge>
      </div>
      {report.mode !== "run" && report.mode !== "reconcile" && <p class="mark">{t.notSent[report.mode]}</p>}
      {report.because.map((reason) => <p key={reason}>{visible(reason, 1000)}</p>)}
      <dl class="figures large">
        <dt>{t.read}</dt>
        <dd>{count(report.rows.read)}</dd>
        {parts.filter((part) => part.count > 0).flatMap((part) => [
          <dt key={part.title}>{part.title}</dt>,
          <dd key={`${part.title} rows`} class={`${part.tone}-text`}>{count(part.count)}</dd>,
        ])}
      </dl>
      <Shares of={parts} />
      <p class="soft small">
        {t.readBack} {Object.entries(report.readBack).filter(([, rows]) => rows > 0)
          .map(([verdict, rows]) => `${count(rows)} ${verdicts[verdict as "verified"].title}`).join(" · ") || general.nothing}
      </p>
      {report.anomalies?.map(({ code, sentence }) => <p key={code} class="warn-text">{visible(sentence, 1000)}</p>)}
      {report.warnings.map((warning) => <p key={warning} class="soft small">{visible(warning, 1000)}</p>)}
      {report.next != null && <p class="next">{general.next} <code>{report.next}</code></p>}
      <p class="links">
        <a href={`${folder}/report.html`} target="_blank" rel="noopener">{t.fullReport}</a>
        <a href={`#/map/${encodeURIComponent(report.pipeline)}`}>{t.toMap}</a>
        <a href={`#/run/${encodeURIComponent(report.pipeline)}`}>{t.toRun}</a>
      </p>
    </section>
  )
}

/** How many rejected rows are shown at a time. */
const pageSize = 50

/** Rejected rows, whose cells can be fixed in place. */
const Rejected = ({ pipeline, run }: { readonly pipeline: string; readonly run: string }) => {
  const [from, setFrom] = useState(0)
  const [changed, setChanged] = useState<ReadonlyMap<string, string>>(new Map())
  const [round, setRound] = useState(0)
  const doing = useDoing()
  const { answer, failed } = useAnswer((signal) => call("results", "rejected", { pipeline, run, from, rows: pageSize }, signal), [from, round])
  if (answer === undefined) return <Problem failed={failed} />
  const wrong = new Set(answer.rows.flatMap((row) => row.wrong))
  const shown = answer.columns.flatMap((title, index) => wrong.has(title) ? [{ title, index }] : [])
  const save = () =>
    doing.run(async () => {
      await saveFixes()
      setRound((before) => before + 1)
    })
  const saveFixes = async () => {
    if (changed.size === 0) return
    const cells = [...changed].map(([place, text]) => {
      const [index = 0, column = 0] = place.split(" ").map(Number)
      return { index, column, text }
    })
    await call("results", "fix", { pipeline, run, version: answer.version, cells })
    setChanged(new Map())
  }
  const put = (index: number, column: number, text: string) =>
    setChanged((before) => new Map(before).set(`${index} ${column}`, text))
  return (
    <Section title={t.rejected(answer.total)} id="rejected" aside={answer.fixed && <Badge tone="calm">{t.fixedFile}</Badge>}>
      <p class="soft small">{t.rejectedHint}</p>
      <Wide label={t.rejected(answer.total)}>
        <table class="fixing">
          <thead>
            <tr>
              <th scope="col" class="number">{t.row}</th>
              <th scope="col">{t.key}</th>
              <th scope="col">{t.why}</th>
              {shown.map(({ index, title }) => <th key={index} scope="col"><Name text={title} /></th>)}
              <th scope="col"><span class="hidden">{t.allCells}</span></th>
            </tr>
          </thead>
          <tbody>
            {answer.rows.map((row) => (
              <FixedRow key={row.index} row={row} columns={answer.columns} shown={shown} changed={changed} put={put} />
            ))}
          </tbody>
        </table>
      </Wide>
      {answer.total > pageSize && (
        <p class="acts">
          <button type="button" disabled={from === 0} onClick={() => setFrom(from - pageSize)}>{general.previous}</button>
          <span>{t.page(from + 1, from + answer.rows.length, answer.total)}</span>
          <button type="button" disabled={from + pageSize >= answer.total} onClick={() => setFrom(from + pageSize)}>{general.more}</button>
        </p>
      )}
      <Problem failed={doing.failed} />
      {doing.failed?._tag === "Conflict" && (
        <button type="button" onClick={() => setRound((before) => before + 1)}>{t.readAgain}</button>
      )}
      <p class="acts">
        <span role="status" class="soft small">{t.unsaved(changed.size)}</span>
        <button type="button" disabled={doing.busy || changed.size === 0} onClick={save}>{t.save}</button>
        <button
          type="button"
          class="main"
          disabled={doing.busy || (changed.size === 0 && !answer.fixed)}
          onClick={() =>
            doing.run(async () => {
              await saveFixes()
              await call("runs", "start", { pipeline, mode: "run", fixedOf: run })
              location.hash = `#/run/${encodeURIComponent(pipeline)}`
            })}
        >
          {t.sendFixed}
        </button>
      </p>
    </Section>
  )
}

interface Fixing {
  readonly row: RejectedRows["rows"][number]
  readonly columns: ReadonlyArray<string>
  readonly shown: ReadonlyArray<{ readonly title: string; readonly index: number }>
  readonly changed: ReadonlyMap<string, string>
  readonly put: (index: number, column: number, text: string) => void
}

const FixedRow = ({ changed, columns, put, row, shown }: Fixing) => {
  const [isOpen, setOpen] = useState(false)
  const field = (title: string, column: number) => (
    <input
      aria-label={t.cellOf(title, row.row)}
      class={`${row.wrong.includes(title) ? "wrong" : ""} ${changed.has(`${row.index} ${column}`) ? "changed" : ""}`}
      value={changed.get(`${row.index} ${column}`) ?? row.cells[column] ?? ""}
      onInput={({ currentTarget }) => put(row.index, column, currentTarget.value)}
    />
  )
  return (
    <>
      <tr>
        <td class="number">{row.row}</td>
        <td><Value of={row.key} /></td>
        <td class="message"><Name text={row.message} /></td>
        {shown.map(({ index, title }) => <td key={index}>{field(title, index)}</td>)}
        <td>
          <button type="button" aria-expanded={isOpen} aria-label={t.allCellsOf(row.row)} onClick={() => setOpen(!isOpen)}>
            {t.allCells}
          </button>
        </td>
      </tr>
      {isOpen && (
        <tr>
          <td colSpan={shown.length + 4}>
            <dl class="cells">
              {columns.flatMap((title, index) => [
                <dt key={index}><Name text={title} /></dt>,
                <dd key={`${index} cell`}>{field(title, index)}</dd>,
              ])}
            </dl>
          </td>
        </tr>
      )}
    </>
  )
}

/** Rows in doubt, and ways to settle them: an export of the form's results, or a person's word. */
const Doubts = (
  { again, now, pipeline }: { readonly pipeline: string; readonly now: Settled; readonly again: () => void },
) => {
  const [complete, setComplete] = useState(false)
  const [because, setBecause] = useState("")
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [last, setLast] = useState<Settled>()
  const { busy, failed, run } = useDoing()
  const settle = (work: () => Promise<Settled>) =>
    run(async () => {
      setLast(await work())
      setChosen(new Set())
      again()
    })
  const rows = now.rows.filter(({ outcome }) => outcome === "in doubt")
  return (
    <Section title={t.doubts(now.left)} id="doubts">
      <p class="soft">{t.doubtsWhy}</p>
      {last !== undefined && (
        <p class="next" role="status">
          {t.settled(last.landed, last.notLanded, last.left)} {last.wants !== undefined && visible(last.wants, 1000)}
          {last.warnings.map((warning) => <span key={warning}>{" "}{visible(warning, 1000)}</span>)}
        </p>
      )}
      {rows.length > 0 && (
        <Wide label={t.doubts(now.left)}>
          <table>
            <thead>
              <tr>
                <th scope="col"><span class="hidden">{t.choose}</span></th>
                <th scope="col" class="number">{t.row}</th>
                <th scope="col">{t.key}</th>
                <th scope="col">{t.sentAt}</th>
                <th scope="col">{t.why}</th>
              </tr>
            </thead>
            <tbody>
              {rows.map((row) => (
                <tr key={row.key}>
                  <td>
                    <input
                      type="checkbox"
                      aria-label={t.chooseRow(row.key)}
                      checked={chosen.has(row.key)}
                      onChange={() => {
                        const next = new Set(chosen)
                        if (!next.delete(row.key)) next.add(row.key)
                        setChosen(next)
                      }}
                    />
                  </td>
                  <td class="number">{count(row.row)}</td>
                  <td><Value of={row.key} /></td>
                  <td>{when(row.sentAt)}</td>
                  <td><Name text={row.reason} /></td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
      {now.left > 0 && (
        <>
          <label class="check">
            <input type="checkbox" checked={complete} onChange={({ currentTarget }) => setComplete(currentTarget.checked)} />
            {" "}{t.complete}
          </label>
          <Drop
            label={t.dropExport}
            hint={t.dropHint}
            busy={busy}
            take={(file) =>
              settle(() =>
                send("results", "settle", { pipeline, name: file.name, ...complete && { complete: "true" }, ...because !== "" && { because } }, file)
              )}
          />
          {now.testEntry !== undefined && <p class="small">{t.testEntry} <code>{now.testEntry}</code></p>}
          <div class="fields">
            <label>
              {t.because}
              <input value={because} onInput={({ currentTarget }) => setBecause(currentTarget.value)} />
            </label>
            <p class="acts">
              {[true, false].map((landed) => (
                <button
                  key={String(landed)}
                  type="button"
                  disabled={busy || chosen.size === 0 || because === ""}
                  onClick={() => settle(() => call("results", "settleAs", { pipeline, landed, keys: [...chosen], because }))}
                >
                  {landed ? t.landed(chosen.size) : t.notLanded(chosen.size)}
                </button>
              ))}
            </p>
          </div>
        </>
      )}
      <Problem failed={failed as Failed | undefined} />
    </Section>
  )
}

const mostDifferences = 200

const Differences = ({ of: { differences } }: { readonly of: Report["report"] }) =>
  differences.length === 0 ? null : (
    <Section title={t.differences(differences.length)}>
      <Wide label={t.differences(differences.length)}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="number">{t.row}</th>
              <th scope="col">{t.key}</th>
              <th scope="col">{t.question}</th>
              <th scope="col">{t.sent}</th>
              <th scope="col">{t.returned}</th>
              <th scope="col">{t.edit}</th>
            </tr>
          </thead>
          <tbody>
            {differences.slice(0, mostDifferences).map((one) => (
              <tr key={`${one.submissionId} ${one.question}`}>
                <td class="number">{count(one.row)}</td>
                <td><Value of={one.key} /></td>
                <td><Name text={one.name} /></td>
                <td><Value of={one.sent} /></td>
                <td><Value of={one.returned} /></td>
                <td>
                  {one.editLink != null && <WebLink to={one.editLink} text={t.editIt} label={t.editRow(one.row)} />}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
    </Section>
  )

const History = ({ of: { report, runs }, pipeline }: { readonly pipeline: string; readonly of: Report }) => (
  <Section title={t.history}>
    <Wide label={t.history}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.started}</th>
            <th scope="col">{t.mode}</th>
            <th scope="col" class="number">{t.read}</th>
            <th scope="col" class="number">{fates.imported.title}</th>
            <th scope="col">{t.outcome}</th>
          </tr>
        </thead>
        <tbody>
          {runs.map((one) => (
            <tr key={one.run}>
              <td>
                <a
                  href={`#/results/${encodeURIComponent(pipeline)}/${encodeURIComponent(one.run)}`}
                  aria-current={one.run === report.run ? "true" : undefined}
                >
                  {when(one.startedAt)}
                </a>
              </td>
              <td>{modes[one.mode]}</td>
              <td class="number">{count(one.read)}</td>
              <td class="number">{count(one.imported)}</td>
              <td><Badge tone={outcomes[one.outcome].tone}>{outcomes[one.outcome].title}</Badge></td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  </Section>
)
