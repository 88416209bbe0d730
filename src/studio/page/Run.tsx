import { useEffect, useRef, useState } from "preact/hooks"
import { fateWords, verdictWords } from "../../domain/fate.ts"
import { paceTexts } from "../../domain/progress.ts"
import { namesOf, permanence } from "../../domain/words.ts"
import type { Job } from "../Api.ts"
import { addressOf, call } from "./call.ts"
import { act, input, pickTarget, submit, type Targets } from "./controls.tsx"
import { isEdited } from "./draft.ts"
import { useDoing } from "./hooks.ts"
import { Diagnostics, figures, nextCommand, Problem, safe, Section, unreachable, wordsWith } from "./parts.tsx"
import { capital, run as t, when } from "./strings.ts"

type RunView = Readonly<{ pipeline: string; targets: Targets; jobs: ReadonlyMap<string, Job>; isOpen: boolean }>

export const RunView = ({ isOpen, jobs, pipeline, targets }: RunView) => {
  const [to, setTo] = useState<string>()
  const { busy, failed, run } = useDoing()
  const mine = [...jobs.values()].filter((job) => job.pipeline === pipeline)
    .sort((a, b) => b.startedAt.localeCompare(a.startedAt))
  const off = busy || mine.some(({ state }) => state._tag !== "Ended")
  const start = (mode: Job["mode"]) =>
    run(() => call("runs", "start", { pipeline, mode, ...mode !== "check" && { to } }))
  return (
    <>
      <h1>{safe(pipeline)}</h1>
      <Section title={t.title}>
        {isEdited(pipeline) && <p class="mark">{t.unsaved}</p>}
        {pickTarget(targets, to, setTo)}
        <ul class="plain modes">
          {namesOf(t.modes).map((mode) => (
            <li key={mode}>
              {act(t.modes[mode].title, () => start(mode), {
                main: mode === "run",
                off: off || (mode !== "check" && to === undefined && targets.length > 0),
              })}
              <p class="soft small">{t.modes[mode].about}</p>
            </li>
          ))}
        </ul>
        <Problem failed={failed} />
      </Section>
      {mine.map((job) => <JobCard key={job.id} job={job} isOpen={isOpen} />)}
      {mine.length === 0 && <p class="soft">{t.none}</p>}
    </>
  )
}

const JobCard = (
  { isOpen, job, job: { fixedOf, mode, startedAt, state, to } }: Readonly<{ job: Job; isOpen: boolean }>,
) => {
  const title = t.jobTitle(t.modes[mode].title, when(startedAt), fixedOf !== undefined, to)
  if (!isOpen && state._tag !== "Ended") return <Section title={title} word={unreachable} />
  if (state._tag === "Ended") return <Ended pipeline={job.pipeline} state={state} title={title} />
  const word = state._tag === "Asking" ? t.asking : state.stopping ? t.stopping : t.running
  return (
    <Section title={title} word={{ tone: "calm", title: word }}>
      {state._tag === "Asking"
        ? <Confirm job={job} question={state.question} />
        : <Live job={job} isStopping={state.stopping} />}
    </Section>
  )
}

type In<Tag> = Extract<Job["state"], { _tag: Tag }>

/** Asks someone to type the service's name before rows are sent. */
const Confirm = ({ job: { id: job }, question }: Readonly<{ job: Job; question: In<"Asking">["question"] }>) => {
  const { canDelete, form, rows, service } = question
  const [typed, setTyped] = useState("")
  const { busy, failed, run } = useDoing()
  const place = useRef<HTMLFormElement>(null)
  useEffect(() => place.current?.querySelector("input")?.focus(), [])
  const confirm = (event: Event) => {
    event.preventDefault()
    void run(() => call("runs", "answer", { job, service: typed }))
  }
  return (
    <form ref={place} onSubmit={confirm}>
      <p class="sentence">{safe(t.willSend(rows, form.name, form.id))}</p>
      <p class="warn-text">{safe(permanence(service, canDelete))}</p>
      <p class="soft small">{t.waits}</p>
      <div class="fields">{input(t.typeName(service), typed, setTyped)}</div>
      <Problem failed={failed} />
      <p class="acts">
        {submit(t.confirm(rows), busy || typed !== service)}
        {act(t.decline, () => run(() => call("runs", "answer", { job })), { off: busy })}
      </p>
    </form>
  )
}

const Live = ({ isStopping, job: { id, pace, progress } }: Readonly<{ job: Job; isStopping: boolean }>) => {
  const { busy, failed, run } = useDoing()
  const [said, setSaid] = useState("")
  const latest = useRef("")
  const { inDoubt = 0, phase = "survey", read = 0, total } = progress ?? {}
  const title = progress === undefined ? t.starting : t.phase({ phase, read, total })
  latest.current = progress === undefined ? title : `${title}. ${t.spoken(progress.sent, progress.inDoubt)}`
  useEffect(() => {
    setSaid(latest.current)
    const timer = setInterval(() => setSaid(latest.current), 5000)
    return () => clearInterval(timer)
  }, [])
  const rows = progress?.fates ? wordsWith(fateWords, progress.fates) : [{ ...fateWords.inDoubt, count: inDoubt }]
  const sent = [{ title: t.sent, count: progress?.sent }, ...rows.filter(({ count }) => count > 0)]
  const readBack = wordsWith(verdictWords, progress?.readBack)
  const stop = () => run(() => call("runs", "stop", { job: id }))
  return (
    <>
      <p class="hidden" role="status">{said}</p>
      <p>{title}</p>
      {progress !== undefined && (
        <>
          <progress aria-label={title} {...total !== undefined && { max: Math.max(total, 1), value: read }} />
          {figures(sent, { size: "large", shares: rows })}
          <h3>{t.readBack}</h3>
          {figures(readBack, { label: t.readBack, shares: readBack })}
          <p class="soft">
            {paceTexts(progress).map((text) => `${capital(text)}. `)}
            {pace?.limit !== undefined && t.pace(pace.limit, pace.rate)}{" "}
            {progress.inFlight !== undefined && t.inFlight(progress.inFlight, pace?.concurrency)}{" "}
            {progress.throttled > 0 && t.throttled(progress.throttled)}
          </p>
        </>
      )}
      <Problem failed={failed} />
      <p class="acts">
        {act(isStopping ? t.stopping : t.stop, stop, { off: busy || isStopping })}
        <span class="soft small">{t.closing}</span>
      </p>
    </>
  )
}

const Ended = ({ pipeline, state, title }: Readonly<{ pipeline: string; state: In<"Ended">; title: string }>) => {
  const { diagnostics, exitCode, message, next, run, word } = state
  return (
    <Section title={title} word={word} isToned>
      <Diagnostics of={diagnostics} />
      {message.split("\n").map((line, index) => (
        <p key={index} role={index === 0 ? "status" : undefined}>{safe(line)}</p>
      ))}
      {run === undefined && exitCode !== 0 && <p class="soft small">{t.exit(exitCode)}</p>}
      {nextCommand(next)}
      {run !== undefined && (
        <p class="acts">
          <a class="button" href={addressOf("results", pipeline, run)}>{t.toResults}</a>
        </p>
      )}
    </Section>
  )
}
