import { useEffect, useRef, useState } from "preact/hooks"
import { fateWords, verdictWords } from "../../domain/fate.ts"
import { notStartedText, recordedModeWords, recordedWord, stateAfter } from "../../domain/run.ts"
import type { Label } from "../../domain/words.ts"
import type { Home } from "../Api.ts"
import { addressOf, call, send } from "./call.ts"
import { act, Drop, input, pick, submit } from "./controls.tsx"
import { isEdited } from "./draft.ts"
import { useAnswer, useDoing } from "./hooks.ts"
import { badge, Diagnostics, figures, Problem, safe, Section, unreachable, wordsWith } from "./parts.tsx"
import { general, home as t, map, shell, when } from "./strings.ts"

type HomeView = Readonly<{ home: Home; isOpen: boolean; running: ReadonlySet<string> }>

/** The first view: every pipeline with its state. `running` names those of the studio's own jobs. */
export const HomeView = ({ running, home, isOpen }: HomeView) => (
  <>
    <div class="head">
      <h1>{t.title}</h1>
      {act(t.create, () => document.querySelector<HTMLElement>(".drop input")?.focus())}
    </div>
    {home.isDemo && <p class="lead">{t.demo}</p>}
    <Diagnostics of={home.diagnostics} />
    {home.pipelines.length === 0 && <p class="lead">{t.none}</p>}
    <ul class="plain cards">
      {home.pipelines.map((one) => (
        <Card
          key={one.name}
          one={one}
          word={isOpen ? running.has(one.name) ? recordedWord({}, true) : one.state : unreachable}
        />
      ))}
    </ul>
  </>
)

type PipelineCard = Home["pipelines"][number]
type PastRun = PipelineCard["standings"][number]["runs"][number]

const Card = ({ one, word }: Readonly<{ one: PipelineCard; word: Label }>) => (
  <li class={`card toned ${word.tone}`}>
    <div class="head">
      <h2>
        <a href={addressOf("map", one.name)}>{safe(one.name)}</a>
      </h2>
      {badge(word)}
    </div>
    {isEdited(one.name) && <p>{badge({ title: map.edited, tone: "warn" })}</p>}
    {one.problem !== undefined && <p class="bad-text">{safe(one.problem)}</p>}
    {one.notStarted !== undefined && (
      <p class="bad-text">{safe(notStartedText(one.name, when(one.notStarted)).replaceAll("`", ""))}</p>
    )}
    {one.standings.map((place) => (
      <div key={JSON.stringify(place.destination)}>
        {figures([
          { title: fateWords.imported.title, count: place.standing.imported },
          { ...fateWords.inDoubt, count: place.standing.inDoubt },
          { ...fateWords.refused, count: place.standing.refused },
        ], { shares: wordsWith(verdictWords, place.standing.verdicts) })}
        <Bars runs={place.runs} />
        <p class="soft small">
          {(one.standings.length > 1 || one.problem) && word !== unreachable && badge(place.state)}{" "}
          {safe([place.to, place.destination.form, place.destination.service].filter(Boolean).join(" · "))}
        </p>
      </div>
    ))}
    {one.targets.filter(({ to }) => one.standings.every((place) => place.to !== to)).map(({ to }) => (
      <p key={to} class="small">{badge(stateAfter(undefined))} {safe(to)}</p>
    ))}
    <p class="soft small">{one.nextRun === undefined ? t.noSchedule : t.next(when(one.nextRun))}</p>
    <p class="acts">
      <a href={addressOf("map", one.name)}>{shell.map}</a>
      <a href={addressOf("run", one.name)}>{shell.run}</a>
      <a href={addressOf("results", one.name)}>{shell.results}</a>
    </p>
  </li>
)

const mostBars = 30

/** Shows rows sent by the last runs as bars, the oldest on the left. A bar's colour is the run's outcome. */
const Bars = ({ runs }: Readonly<{ runs: ReadonlyArray<PastRun> }>) => {
  const shown = runs.slice(0, mostBars).toReversed()
  const highest = Math.max(1, ...shown.map(({ sent }) => sent ?? 0))
  const said = (run: PastRun) => t.bar(when(run.startedAt), recordedModeWords[run.mode], run.sent, run.state.title)
  return (
    <svg class="runs" viewBox={`0 0 ${mostBars * 10} 40`} role="img" aria-label={t.bars(shown.slice(-5).map(said))}>
      {shown.map((run, index) => {
        const tall = Math.max(3, ((run.sent ?? 0) / highest) * 38)
        return (
          <rect key={run.run} class={run.state.tone} x={index * 10} width="8" rx="1" y={40 - tall} height={tall}>
            <title>{said(run)}</title>
          </rect>
        )
      })}
    </svg>
  )
}

/** Proposes a pipeline's name. A file's name may have no letter that a pipeline's name may contain. */
const nameFor = (file: string): string =>
  file.normalize("NFKD").replace(/\p{M}|\.[^.]*$/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 100)
    .replace(/^-|-$/g, "") || "answers"

type NewPipeline = Readonly<{ services: Home["services"]; isShown: boolean; tell: (state: string) => void }>

/** Makes a pipeline from a file. While other views are shown, it only tells what is being made, or could not be made. */
export const NewPipeline = ({ isShown, services, tell }: NewPipeline) => {
  const [file, setFile] = useState<{ readonly source: string; readonly shown: string }>()
  const [pipeline, setName] = useState("")
  const [service = services[0] ?? "", setService] = useState<string>()
  const [typed, setForm] = useState("")
  const { busy, cancel, failed, run } = useDoing()
  const [read, setRead] = useState(0)
  const [isCancelled, setCancelled] = useState(false)
  const shown = useRef(isShown)
  shown.current = isShown
  const forms = useAnswer(
    (signal) => file !== undefined ? call("project", "forms", { service }, signal) : undefined,
    [service, file === undefined],
  )
  // If a service can't list its forms, there are none to choose from.
  const listed = forms.failed === undefined ? forms.answer ?? [] : []
  const form = typed === "" ? listed[0]?.id ?? "" : typed
  useEffect(() => tell(failed ? t.notMade(pipeline) : busy ? t.making(pipeline) : ""), [busy, failed])
  const discard = async () => {
    setFile(undefined)
    if (file !== undefined) await call("project", "discard", { file: file.source })
  }
  useEffect(() => {
    if (file === undefined || busy) return
    const content = new Blob([JSON.stringify({ file: file.source })], { type: "application/json" })
    const leave = () => navigator.sendBeacon("/api/project/discard", content)
    addEventListener("pagehide", leave)
    return () => removeEventListener("pagehide", leave)
  }, [file, busy])
  const take = (taken: File) =>
    run(async (signal) => {
      setCancelled(false)
      await discard()
      setName(nameFor(taken.name))
      const { file: source } = await send("project", "upload", { name: taken.name }, taken, signal)
      setFile({ source, shown: taken.name })
    })
  const chooseService = (name: string) => {
    setService(name)
    setForm("")
  }
  const create = (event: Event) => {
    event.preventDefault()
    void run(async (signal) => {
      if (file === undefined) return
      setRead(0)
      const look = () => call("project", "reading", { pipeline }).then(({ rows = 0 }) => setRead(rows), () => {})
      const timer = setInterval(look, 500)
      await call("project", "create", { pipeline, source: file.source, service, form }, signal)
        .finally(() => clearInterval(timer))
      setFile(undefined)
      // Someone may have opened another view in the meantime.
      if (shown.current) location.hash = addressOf("map", pipeline)
    })
  }
  const leave = async () => {
    // The studio removes the file of a cancelled call itself.
    if (busy) cancel()
    else await run(discard)
    setFile(undefined)
    setCancelled(true)
  }
  if (!isShown) return null
  return (
    <Section title={t.create}>
      <Drop
        label={t.drop}
        hint={t.hint}
        busy={busy && (file === undefined ? general.sending : general.working)}
        take={take}
      />
      <Problem failed={failed} />
      <form onSubmit={create}>
        {file !== undefined && (
          <div class="fields">
            <p class="whole" role="status">{t.stored} {safe(file.shown)}</p>
            {input(t.name, pipeline, setName)}
            {pick(t.service, service, chooseService, services.map((name) => [name, name]))}
            {listed.length > 0
              && pick(t.form, form, setForm, listed.map(({ id, name }) => [id, `${name} (${id})`]))}
            {listed.length === 0 && !forms.isStale && input(t.form, form, setForm)}
            <Problem failed={forms.failed?.diagnostics && forms.failed} />
            {forms.failed && !forms.failed.diagnostics && <p class="soft small">{safe(forms.failed.message)}</p>}
          </div>
        )}
        <p class="acts">
          {file !== undefined && submit(busy ? general.working : t.go, busy || form === "")}
          {(busy || file !== undefined) && act(general.cancel, leave)}
          <span role="status" class="soft">
            {busy && file !== undefined ? t.reading(read) : isCancelled && t.cancelled}
          </span>
        </p>
      </form>
    </Section>
  )
}
