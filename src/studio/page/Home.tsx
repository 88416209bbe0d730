import { useState } from "preact/hooks"
import type { Home, Job, PipelineCard, RunBar } from "../Api.ts"
import { call, send } from "./call.ts"
import { Badge, Diagnostics, Drop, Name, Problem, Section, Shares, useAnswer, useDoing } from "./parts.tsx"
import { count, general, home as t, modes, outcomes, verdicts, when } from "./strings.ts"

/** The first view: every pipeline with its state, and a new one from a file. */
export const HomeView = ({ home, jobs }: { readonly home: Home; readonly jobs: ReadonlyMap<string, Job> }) => (
  <>
    <h1>{t.title}</h1>
    {home.isDemo && <p class="lead">{t.demo}</p>}
    <Diagnostics of={home.diagnostics} />
    {home.pipelines.length === 0 && <p class="lead">{t.none}</p>}
    <ul class="plain cards">
      {home.pipelines.map((one) => (
        <Card
          key={one.name}
          one={one}
          isGoing={[...jobs.values()].some((job) => job.pipeline === one.name && job.state._tag !== "Ended")}
        />
      ))}
    </ul>
    <NewPipeline home={home} />
  </>
)

const link = (view: string, name: string, run = ""): string =>
  `#/${view}/${encodeURIComponent(name)}${run === "" ? "" : `/${encodeURIComponent(run)}`}`

const Card = ({ one, isGoing }: { readonly one: PipelineCard; readonly isGoing: boolean }) => {
  const last = one.standings[0]?.runs[0]
  const state = isGoing || one.standings.some(({ going }) => going !== undefined)
    ? { title: t.going, tone: "calm" as const }
    : last === undefined
    ? { title: t.never, tone: "calm" as const }
    : last.outcome === undefined
    ? { title: t.unfinished, tone: "warn" as const }
    : outcomes[last.outcome]
  return (
    <li class={`card ${state.tone}`}>
      <div class="head">
        <h2><a href={link("map", one.name)}><Name text={one.name} /></a></h2>
        <Badge tone={state.tone}>{state.title}</Badge>
      </div>
      {one.problem !== undefined && <p class="bad-text">{one.problem}</p>}
      {one.notBegun !== undefined && <p class="bad-text">{t.notBegun(when(one.notBegun))}</p>}
      {one.standings.map((standing) => (
        <div key={standing.service + standing.form} class="standing">
          <dl class="figures">
            <dt>{t.imported}</dt>
            <dd>{count(standing.imported)}</dd>
            <dt>{t.inDoubt}</dt>
            <dd class={standing.inDoubt > 0 ? "bad-text" : ""}>
              {standing.inDoubt > 0
                ? <a href={link("results", one.name)}>{count(standing.inDoubt)}</a>
                : 0}
            </dd>
            <dt>{t.refused}</dt>
            <dd class={standing.refused > 0 ? "warn-text" : ""}>{count(standing.refused)}</dd>
          </dl>
          <Shares
            of={Object.entries(standing.verdicts).map(([verdict, rows]) => ({
              count: rows,
              ...verdicts[verdict as "verified"],
            }))}
          />
          <Bars runs={standing.runs} />
          <p class="soft small"><Name text={`${standing.form} · ${standing.service}`} /></p>
        </div>
      ))}
      <p class="soft small">{one.nextRun === undefined ? t.noSchedule : t.next(when(one.nextRun))}</p>
      <p class="links">
        <a href={link("map", one.name)}>{t.open.map}</a>
        <a href={link("run", one.name)}>{t.open.run}</a>
        {last !== undefined && <a href={link("results", one.name)}>{t.open.results}</a>}
      </p>
    </li>
  )
}

const mostBars = 30

/** Shows rows sent by the last runs as bars, the oldest on the left. A bar's colour is the run's outcome. */
const Bars = ({ runs }: { readonly runs: ReadonlyArray<RunBar> }) => {
  const shown = runs.slice(0, mostBars).toReversed()
  const highest = Math.max(1, ...shown.map(({ sent = 0 }) => sent))
  if (shown.length === 0) return null
  const said = (run: RunBar) =>
    t.bar(when(run.startedAt), modes[run.mode], run.sent, outcomes[run.outcome ?? "interrupted"].title)
  return (
    <svg class="runs" viewBox={`0 0 ${mostBars * 10} 40`} role="img" aria-label={t.bars(shown.slice(-5).map(said))}>
      {shown.map((run, index) => {
        const tall = Math.max(3, ((run.sent ?? 0) / highest) * 38)
        const tone = run.outcome === undefined ? "warn" : outcomes[run.outcome].tone
        return (
          <rect key={run.run} class={tone} x={index * 10} width="8" rx="1" y={40 - tall} height={tall}>
            <title>{said(run)}</title>
          </rect>
        )
      })}
    </svg>
  )
}

const NewPipeline = ({ home }: { readonly home: Home }) => {
  const [file, setFile] = useState<{ readonly path: string; readonly name: string }>()
  const [labels, setLabels] = useState<{ readonly path: string; readonly name: string }>()
  const [name, setName] = useState("")
  const [service, setService] = useState(home.services[0]?.name ?? "")
  const [form, setForm] = useState("")
  const { busy, failed, run } = useDoing()
  const chosen = home.services.find((one) => one.name === service)
  const forms = useAnswer(
    (signal) => file !== undefined && chosen?.canList === true ? call("project", "forms", { service }, signal) : undefined,
    [service, file === undefined],
  )
  const upload = (taken: File, then: (stored: { readonly path: string; readonly name: string }) => void) =>
    run(async () => {
      const stored = await send("project", "upload", { name: taken.name }, taken)
      then({ path: stored.file, name: taken.name })
    })
  const listed = forms.answer ?? []
  const formId = form !== "" || chosen?.canList !== true ? form : listed[0]?.id ?? ""
  return (
    <Section title={t.create.title}>
      <Drop
        label={t.create.drop}
        hint={t.create.hint}
        busy={busy && file === undefined}
        take={(taken) =>
          upload(taken, (stored) => {
            setFile(stored)
            setName(taken.name.toLowerCase().replace(/\.[^.]*$/, "").replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, ""))
          })}
      />
      <Problem failed={failed ?? forms.failed} />
      {file !== undefined && (
        <form
          class="fields"
          onSubmit={(event) => {
            event.preventDefault()
            void run(async () => {
              const made = await call("project", "create", {
                pipeline: name,
                source: file.path,
                service,
                form: formId,
                ...labels !== undefined && { labels: labels.path },
              })
              location.hash = link("map", made.pipeline)
            })
          }}
        >
          <p class="whole" role="status">{t.create.stored} <strong><Name text={file.name} /></strong></p>
          <label>
            {t.create.name}
            <input required value={name} onInput={({ currentTarget }) => setName(currentTarget.value)} />
          </label>
          <label>
            {t.create.service}
            <select
              value={service}
              onChange={({ currentTarget }) => {
                setService(currentTarget.value)
                setForm("")
              }}
            >
              {home.services.map((one) => <option key={one.name} value={one.name}>{one.name}</option>)}
            </select>
          </label>
          <label>
            {t.create.form}
            {chosen?.canList === true
              ? (
                <select value={formId} onChange={({ currentTarget }) => setForm(currentTarget.value)}>
                  {listed.map((one) => <option key={one.id} value={one.id}>{`${one.name} (${one.id})`}</option>)}
                </select>
              )
              : <input required value={form} onInput={({ currentTarget }) => setForm(currentTarget.value)} />}
          </label>
          <label>
            {t.create.labels}
            <input
              type="file"
              onChange={({ currentTarget }) => {
                const taken = currentTarget.files?.[0]
                if (taken !== undefined) void upload(taken, setLabels)
              }}
            />
          </label>
          <p class="whole acts">
            <button class="main" disabled={busy || formId === "" || name === ""}>
              {busy ? general.working : t.create.go}
            </button>
            <button type="button" onClick={() => setFile(undefined)}>{general.cancel}</button>
          </p>
        </form>
      )}
    </Section>
  )
}
