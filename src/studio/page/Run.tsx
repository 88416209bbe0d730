import { useEffect, useRef, useState } from "preact/hooks"
import type { Job } from "../Api.ts"
import { call } from "./call.ts"
import { Badge, Diagnostics, Name, Problem, Section, Shares, useDoing } from "./parts.tsx"
import { count, general, lasting, outcomes, phases, run as t, verdicts, when } from "./strings.ts"

const modes = ["check", "rehearsal", "dry-run", "run"] as const

/** The view in which a pipeline is checked, rehearsed and run. */
export const RunView = (
  { jobs, pipeline }: { readonly pipeline: string; readonly jobs: ReadonlyMap<string, Job> },
) => {
  const [limit, setLimit] = useState("")
  const [retryRefused, setRetry] = useState(false)
  const doing = useDoing()
  const mine = [...jobs.values()].filter((job) => job.pipeline === pipeline)
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
  const going = mine.find(({ state }) => state._tag !== "Ended")
  const start = (mode: (typeof modes)[number]) =>
    doing.run(() =>
      call("runs", "start", { pipeline, mode, ...limit !== "" && { limit: Number(limit) }, ...retryRefused && { retryRefused } })
    )
  return (
    <>
      <h1><Name text={pipeline} /></h1>
      <Section title={t.title}>
        <ul class="plain modes">
          {modes.map((mode) => (
            <li key={mode}>
              <button
                type="button"
                class={mode === "run" ? "main" : ""}
                disabled={doing.busy || going !== undefined}
                onClick={() => start(mode)}
              >
                {t.modes[mode].title}
              </button>
              <p class="soft small">{t.modes[mode].about}</p>
            </li>
          ))}
        </ul>
        <details>
          <summary>{t.options}</summary>
          <div class="fields">
            <label>
              {t.limit}
              <input type="number" min={1} value={limit} onInput={({ currentTarget }) => setLimit(currentTarget.value)} />
            </label>
            <label class="check">
              <input type="checkbox" checked={retryRefused} onChange={({ currentTarget }) => setRetry(currentTarget.checked)} />
              {" "}{t.retryRefused}
            </label>
          </div>
        </details>
        <Problem failed={doing.failed} />
      </Section>
      {mine.map((job) => <JobCard key={job.id} job={job} />)}
      {mine.length === 0 && <p class="soft">{t.none}</p>}
    </>
  )
}

const JobCard = ({ job }: { readonly job: Job }) => {
  const { state } = job
  const title = t.jobTitle(job.mode, when(job.startedAt))
  return state._tag === "Ended"
    ? <Ended job={job} state={state} title={title} />
    : (
      <Section title={title} aside={<Badge tone="calm">{state._tag === "Asking" ? t.asking : state.stopping ? t.stopping : t.going}</Badge>}>
        {state._tag === "Asking" ? <Confirm job={job} question={state.question} /> : <Live job={job} isStopping={state.stopping} />}
      </Section>
    )
}

/** Asks someone to type the service's name before rows are sent. */
const Confirm = (
  { job, question }: { readonly job: Job; readonly question: Extract<Job["state"], { _tag: "Asking" }>["question"] },
) => {
  const [typed, setTyped] = useState("")
  const { busy, failed, run } = useDoing()
  const input = useRef<HTMLInputElement>(null)
  useEffect(() => input.current?.focus(), [])
  return (
    <form
      class="confirm"
      onSubmit={(event) => {
        event.preventDefault()
        void run(() => call("runs", "confirm", { job: job.id, service: typed }))
      }}
    >
      <p class="sentence">{t.willSend(question.rows)} <strong><Name text={question.form.name} /></strong> ({question.form.id}).</p>
      <p class="warn-text">{question.canDelete ? t.canDelete : t.permanent}</p>
      <label>
        {t.typeName(question.service)}
        <input
          ref={input}
          value={typed}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
      </label>
      <Problem failed={failed} />
      <p class="acts">
        <button class="main" disabled={busy || typed !== question.service}>{t.confirm(question.rows)}</button>
        <button type="button" onClick={() => run(() => call("runs", "decline", { job: job.id }))}>{t.decline}</button>
      </p>
    </form>
  )
}

/** How often screen readers hear of the progress, in milliseconds. */
const sayEvery = 5000

const Live = ({ isStopping, job }: { readonly job: Job; readonly isStopping: boolean }) => {
  const { pace, progress } = job
  const { busy, failed, run } = useDoing()
  const [said, setSaid] = useState("")
  const latest = useRef("")
  latest.current = progress === undefined
    ? t.starting
    : t.spoken(phases[progress.phase], progress.read, progress.total, progress.sent, progress.inDoubt)
  useEffect(() => {
    setSaid(latest.current)
    const timer = setInterval(() => setSaid(latest.current), sayEvery)
    return () => clearInterval(timer)
  }, [])
  const left = progress?.total === undefined || progress.rate === undefined || progress.rate === 0
    ? undefined
    : (progress.total - progress.read) / progress.rate * 1000
  return (
    <>
      <p class="hidden" role="status">{said}</p>
      {progress === undefined ? <p>{t.starting}</p> : (
        <>
          <label class="progress">
            <span>{t.phase(phases[progress.phase], progress.read, progress.total)}</span>
            <progress
              aria-label={phases[progress.phase]}
              {...progress.total !== undefined && { max: Math.max(progress.total, 1), value: progress.read }}
            />
          </label>
          <dl class="figures large">
            <dt>{t.sent}</dt>
            <dd>{count(progress.sent)}</dd>
            {Object.entries(progress.readBack).map(([verdict, rows]) => {
              const { title, tone } = verdicts[verdict as "verified"]
              return [<dt key={verdict}>{title}</dt>, <dd key={`${verdict} rows`} class={rows > 0 ? `${tone}-text` : ""}>{count(rows)}</dd>]
            })}
            <dt>{t.inDoubt}</dt>
            <dd class={progress.inDoubt > 0 ? "bad-text" : ""}>{count(progress.inDoubt)}</dd>
          </dl>
          <Shares
            total={Math.max(progress.sent, 1)}
            of={[
              ...Object.entries(progress.readBack).map(([verdict, rows]) => ({ count: rows, ...verdicts[verdict as "verified"] })),
              { title: t.inDoubt, count: progress.inDoubt, tone: "bad" },
            ]}
          />
          <p class="soft">
            {progress.rate !== undefined && t.rate(progress.rate)} {left !== undefined && t.left(lasting(left))}{" "}
            {pace !== undefined && t.pace(pace.limit, undefined)}
            {progress.throttled > 0 && ` ${t.throttled(progress.throttled)}`}
          </p>
        </>
      )}
      <Problem failed={failed} />
      <p class="acts">
        <button type="button" disabled={busy || isStopping} onClick={() => run(() => call("runs", "stop", { job: job.id }))}>
          {isStopping ? t.stopping : t.stop}
        </button>
        <span class="soft small">{t.closing}</span>
      </p>
    </>
  )
}

const Ended = (
  { job, state, title }: { readonly job: Job; readonly state: Extract<Job["state"], { _tag: "Ended" }>; readonly title: string },
) => {
  const { title: word, tone } = state.outcome !== undefined
    ? outcomes[state.outcome]
    : state.exitCode === 0
    ? { title: t.fine, tone: "good" as const }
    : { title: t.exit(state.exitCode), tone: "warn" as const }
  return (
    <Section title={title} aside={<Badge tone={tone}>{word}</Badge>}>
      <p role="status" class="lines-kept"><Name text={state.message} /></p>
      <Diagnostics of={state.diagnostics} />
      {state.next !== undefined && <p class="next">{general.next} <code>{state.next}</code></p>}
      {state.run !== undefined && (
        <p class="acts">
          <a class="button" href={`#/results/${encodeURIComponent(job.pipeline)}/${encodeURIComponent(state.run)}`}>{t.toResults}</a>
        </p>
      )}
    </Section>
  )
}
