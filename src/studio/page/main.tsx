import { render } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Job } from "../Api.ts"
import { addressOf, call, listen, pipelineViews } from "./call.ts"
import { isEdited } from "./draft.ts"
import { HomeView } from "./Home.tsx"
import { MapView } from "./Map.tsx"
import { Problem, safe, useAnswer } from "./parts.tsx"
import { ResultsView } from "./Results.tsx"
import { RunView } from "./Run.tsx"
import { general, shell } from "./strings.ts"

/** Returns the parts of the address after `#`: a view, a pipeline and a run. */
const place = () => location.hash.replace(/^#\/?/, "").split("/").map(decodeURIComponent)

const App = () => {
  const [[view = "", pipeline = "", run], setPlace] = useState(place)
  const [jobs, setJobs] = useState<ReadonlyMap<string, Job>>(new Map())
  const main = useRef<HTMLElement>(null)
  const states = [...jobs.values()].map(({ state }) => state._tag)
  const home = useAnswer((signal) => call("project", "home", {}, signal), [view, states.join()])
  useEffect(() => {
    addEventListener("hashchange", () => setPlace(place()))
    addEventListener("beforeunload", (event) => isEdited() && event.preventDefault())
    return listen((job) => setJobs((before) => new Map(before).set(job.id, job)))
  }, [])
  const known = pipelineViews.find((one) => one === view)
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
        <span class="going">
          {[...jobs.values()].filter(({ state }) => state._tag !== "Ended").map((job) => (
            <a key={job.id} class="chip" href={addressOf("run", job.pipeline)}>
              {job.state._tag === "Asking" ? shell.asking(job.pipeline) : shell.going(job.pipeline, job.mode)}
            </a>
          ))}
        </span>
      </header>
      <main id="main" tabIndex={-1} ref={main} class={known ?? "home"}>
        <Problem failed={home.failed} />
        {known === "map" && <MapView key={pipeline} pipeline={pipeline} />}
        {known === "run" && <RunView key={pipeline} pipeline={pipeline} jobs={jobs} />}
        {known === "results" && <ResultsView key={`${pipeline}/${run}`} pipeline={pipeline} run={run} />}
        {known === undefined && home.answer !== undefined && <HomeView home={home.answer} jobs={jobs} />}
      </main>
    </>
  )
}

const root = document.getElementById("app")
if (root !== null) render(<App />, root)
