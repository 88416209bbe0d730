import { render } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import { addressOf, call, listen, type News, pipelineViews } from "./call.ts"
import { isEdited } from "./draft.ts"
import { HomeView, NewPipeline } from "./Home.tsx"
import { useAnswer } from "./hooks.ts"
import { MapView } from "./Map.tsx"
import { Problem, safe } from "./parts.tsx"
import { isFixing, ResultsView } from "./Results.tsx"
import { RunView } from "./Run.tsx"
import { general, shell } from "./strings.ts"

/** Returns the parts of the address after `#`: a view, a pipeline and a run. `decodeURIComponent` would throw if someone mistypes it. */
const place = () =>
  location.hash.replace(/^#\/?/, "").split("/").map((part) => new URLSearchParams(`_=${part}`).get("_") ?? "")

const App = () => {
  const [[view = "", pipeline = "", run], setPlace] = useState(place)
  const [{ isOpen, jobs }, hear] = useState<News>({ isOpen: true, jobs: new Map() })
  const [making, setMaking] = useState("")
  const [round, setRound] = useState(0)
  const main = useRef<HTMLElement>(null)
  const running = [...jobs.values()].filter(({ state }) => isOpen && state._tag !== "Ended")
  const busy = new Set(running.map((job) => job.pipeline))
  const home = useAnswer((signal) => call("project", "home", {}, signal), [view, running.length, isOpen, round])
  // A studio that was started again answers, but refuses the page until someone opens its link.
  const isLost = !isOpen && home.failed?._tag !== "Forbidden"
  const known = pipelineViews.find((one) => one === view)
  useEffect(() => {
    addEventListener("hashchange", () => setPlace(place()))
    // A file that is dropped outside its box would be opened in place of the page.
    for (const type of ["dragover", "drop"] as const) {
      addEventListener(type, (event) => event.dataTransfer?.types.includes("Files") && event.preventDefault())
    }
    addEventListener("beforeunload", (event) => (isEdited() || isFixing()) && event.preventDefault())
    listen(hear)
  }, [])
  useEffect(() => {
    // Runs are also started elsewhere. Nobody sees a hidden page.
    const again = () => known === undefined && !document.hidden && setRound(round + 1)
    const timer = home.isStale ? undefined : setTimeout(again, 5000)
    document.addEventListener("visibilitychange", again)
    return () => {
      clearTimeout(timer)
      document.removeEventListener("visibilitychange", again)
    }
  }, [home.isStale, known, round])
  const card = home.answer?.pipelines.find(({ name }) => name === pipeline)
  const of = { pipeline, targets: card?.targets ?? [] }
  const isKnown = home.answer === undefined || card !== undefined
  const title = known === undefined ? shell.home : `${shell[known]}: ${pipeline}`
  useEffect(() => {
    document.title = `${title} · ${general.product}`
    // The focus would be lost with a link that is no longer shown.
    if (document.activeElement === document.body) main.current?.focus()
  }, [title, run])
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>{shell.skip}</a>
      <header class="bar">
        <a class="brand" href="#/">{general.product}</a>
        <span class="soft">{safe(home.answer?.folder ?? "")}</span>
        {known !== undefined && (
          <nav aria-label={shell.viewsOf(pipeline)}>
            <strong>{safe(pipeline)}</strong>
            {pipelineViews.map((one) => (
              <a key={one} href={addressOf(one, pipeline)} aria-current={one === view ? "page" : undefined}>
                {shell[one]}
              </a>
            ))}
          </nav>
        )}
        <span class="running" role="status">
          {making !== "" && known !== undefined && <a class="chip" href="#/">{safe(making)}</a>}
          {running.map((job) => (
            <a key={job.id} class="chip" href={addressOf("run", job.pipeline)}>
              {job.state._tag === "Asking" ? shell.asking(job.pipeline) : shell.running(job.pipeline, job.mode)}
            </a>
          ))}
        </span>
      </header>
      <main id="main" tabIndex={-1} ref={main} class={known ?? "home"}>
        {isLost && <div class="problem" role="alert">{shell.lost.map((text) => <p key={text}>{text}</p>)}</div>}
        <Problem failed={isLost ? undefined : home.failed} />
        {known === "map" && <MapView key={pipeline} pipeline={pipeline} />}
        {!isKnown && known === "run" && <Problem failed={{ _tag: "Unknown", message: general.unknown(pipeline) }} />}
        {isKnown && known === "run" && <RunView key={pipeline} {...of} jobs={jobs} isOpen={isOpen} />}
        {known === "results" && <ResultsView key={`${pipeline}/${run}`} {...of} run={run} jobs={jobs} />}
        {known === undefined && home.answer && <HomeView home={home.answer} isOpen={isOpen} running={busy} />}
        {home.answer && <NewPipeline services={home.answer.services} isShown={known === undefined} tell={setMaking} />}
      </main>
    </>
  )
}

const root = document.getElementById("app")
if (root !== null) render(<App />, root)
