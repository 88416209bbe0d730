import * as Terminal from "@effect/platform/Terminal"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { command, flag, json, wholeNumber } from "./command.ts"
import { projectFolder, secretsMask } from "./openProject.ts"
import { Interrupts } from "./runMain.ts"

/** The maximum size of an uploaded file in bytes. */
const maxUpload = 4 * 1024 * 1024 * 1024

export const studio = command({
  name: "studio",
  about:
    "Opens a local page on which you map columns, check, run, and fix rejected rows. It does what the other commands do, and only this machine can reach it.",
  examples: [
    { words: "studio", about: "Opens the project of this folder in the browser." },
    { words: "studio --demo", about: "Opens the sample project with the practice service. Needs no setup." },
  ],
  arguments: {},
  options: {
    port: wholeNumber(
      0,
      "The port on 127.0.0.1. 0: any free one. Default: the same one for a project each time, if it is free.",
      65_535,
    ),
    noOpen: flag("Don't open the browser. Print only the link."),
    demo: flag("Open a copy of the sample project, which sends nothing to a real service."),
    json,
  },
  *run(input, { output }) {
    const interrupts = yield* Interrupts
    const root = input.demo
      ? yield* Effect.flatMap(Effect.promise(() => import("../jobs/demo.ts")), (demo) => demo.copyDemonstration)
      : yield* projectFolder
    const { loadProject } = yield* Effect.promise(() => import("../project/loadProject.ts"))
    // Says at once what is wrong with the project's own file.
    yield* loadProject(root, { pipelines: [] })
    const { serveStudio } = yield* Effect.promise(() => import("../studio/serve.ts"))
    // The first signal is the normal way to end the studio, not a failure.
    yield* interrupts.takeOver
    const readsKeys = output.interactive && !input.json
    const { jobs, newLink } = yield* serveStudio({
      root,
      isDemo: input.demo,
      port: input.port,
      maxUpload,
      anotherLink: readsKeys ? "Press o in its terminal for another." : "To get another, start the studio again.",
      ...secretsMask(output.hide),
    })
    const link = newLink()
    yield* output.print(input.json ? JSON.stringify({ link, folder: root }) : `Studio   ${link}\nProject  ${root}`)
    output.say(`The link works once. ${readsKeys ? "Press o for another link. " : ""}Ctrl-C ends the studio.`)
    if (!input.noOpen && output.interactive) {
      const { linkFile, openPage } = yield* Effect.promise(() => import("../jobs/report.ts"))
      const isOpened = yield* openPage(yield* linkFile(link), process.platform)
      if (!isOpened) output.say("No browser could be opened. Open the link yourself.")
    }
    if (readsKeys) yield* Effect.forkScoped(readKeys(() => output.say(newLink())))
    const signal = yield* interrupts.first
    const running = (yield* jobs.list).filter(({ state }) => state._tag !== "Ended").length
    if (running > 0) output.say("Finishing and recording the requests in flight. A second Ctrl-C stops at once.")
    yield* jobs.stopAll(signal)
  },
})

/** Calls `another` for each o that is typed. Ctrl-C ends the studio. */
const readKeys = (another: () => void) =>
  Effect.scoped(Effect.gen(function*() {
    const keys = yield* (yield* Terminal.Terminal).readInput
    while (true) {
      const pressed = yield* Effect.option(keys.take)
      // While keys are read one by one, the terminal sends no signal for Ctrl-C.
      if (Option.isNone(pressed) || (pressed.value.key.ctrl && pressed.value.key.name === "c")) {
        return process.kill(process.pid, "SIGINT")
      }
      if (pressed.value.key.name === "o") another()
    }
  }))
