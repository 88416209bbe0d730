import { render } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Job } from "../Api.ts"
import { call, listen } from "./call.ts"
import { isEdited } from "./draft.ts"
import { HomeView } from "./Home.tsx"
import { MapView } from "./Map.tsx"
import { Name, Problem, useAnswer } from "./parts.tsx"
import { ResultsView } from "./Results.tsx"
import { RunView } from "./Run.tsx"
import { general, shell } from "./strings.ts"

/** The views of a pipeline, as they are called in addresses. */
const views = ["map", "run", "results"] as const

/** Returns the parts of the address after `#`: a view, a pipeline and a run. */
const place = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent)

const App = () => {
  const [[view = "", pipeline = "", run], setPlace] = useState(place)
  const [jobs, setJobs] = useState<ReadonlyMap<string, Job>>(new Map())
  const main = useRef<HTMLElement>(null)
  const home = useAnswer((signal) => call("project", "home", {}, signal), [view, [...jobs.values()].map(ended).join()])
  useEffect(() => {
    const turn = () => setPlace(place())
    addEventListener("hashchange", turn)
    addEventListener("beforeunload", (event) => isEdited() && event.preventDefault())
    return listen((job) => setJobs((before) => new Map(before).set(job.id, job)))
  }, [])
  const isPipeline = views.some((one) => one === view)
  const title = isPipeline ? `${shell.views[view as "map"]}: ${pipeline}` : shell.home
  useEffect(() => {
    document.title = `${title} · ${general.product}`
    if (document.activeElement === document.body || document.activeElement?.closest("nav") !== null) return
    main.current?.focus()
  }, [title, run])
  const going = [...jobs.values()].filter(({ state }) => state._tag !== "Ended")
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => (event.preventDefault(), main.current?.focus())}>{shell.skip}</a>
      <header class="bar">
        <a class="brand" href="#/">{general.product}</a>
        <span class="soft folder">{home.answer !== undefined && <Name text={home.answer.folder} />}</span>
        {isPipeline && (
          <nav aria-label={shell.viewsOf(pipeline)}>
            <strong><Name text={pipeline} /></strong>
            {views.map((one) => (
              <a
                key={one}
                href={`#/${one}/${encodeURIComponent(pipeline)}`}
                aria-current={one === view ? "page" : undefined}
              >
                {shell.views[one]}
              </a>
            ))}
          </nav>
        )}
        <span class="going">
          {going.map(({ id, mode, pipeline, state }) => (
            <a key={id} class="chip" href={`#/run/${encodeURIComponent(pipeline)}`}>
              {state._tag === "Asking" ? shell.asking(pipeline) : shell.going(pipeline, mode)}
            </a>
          ))}
        </span>
      </header>
      <main id="main" tabIndex={-1} ref={main} class={isPipeline ? view : "home"}>
        <Problem failed={home.failed} />
        {view === "map"
          ? <MapView key={pipeline} pipeline={pipeline} />
          : view === "run"
          ? <RunView key={pipeline} pipeline={pipeline} jobs={jobs} />
          : view === "results"
          ? <ResultsView key={`${pipeline}/${run}`} pipeline={pipeline} run={run} />
          : home.answer !== undefined && <HomeView home={home.answer} jobs={jobs} />}
      </main>
    </>
  )
}

const ended = ({ state }: Job): string => state._tag

const root = document.getElementById("app")
if (root !== null) render(<App />, root)
