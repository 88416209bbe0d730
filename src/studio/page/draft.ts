import { useEffect, useMemo, useState } from "preact/hooks"
import type { DraftCounts, DraftState, Edited, ShownSurvey } from "../../domain/draft.ts"
import type { Operation } from "../../jobs/draftEdit.ts"
import { addressOf, call, type Failed } from "./call.ts"
import { useAnswer } from "./hooks.ts"

/** A pipeline's text in this tab, and what its file said when it was read. */
export type Draft = Readonly<{ file: string; version: string; saved: string; text: string }>

/** The drafts of this tab. They stay while other views are open. */
const drafts = new Map<string, Draft>()

/** The last thing that is done with each draft. */
const lastDone = new Map<string, Promise<unknown>>()

/** The new names of pipelines that this tab has renamed. Their page may still have something to do. */
const renamed = new Map<string, string>()

/** Draws the map that is shown. */
let draw = () => {}

const put = (pipeline: string, draft: Draft) => {
  drafts.set(pipeline, draft)
  draw()
}

/** Whether this tab has a draft that is not saved. */
export const isEdited = (pipeline?: string): boolean =>
  [...drafts].some(([of, { saved, text }]) => saved !== text && (pipeline ?? of) === of)

/** What is selected on the board. */
export type Selection = Readonly<{
  question?: string
  /** The columns that should answer the question, if someone chose them. */
  columns?: ReadonlyArray<number>
  column?: number
}>

/** What the parts of the map share: the draft and what can be done with it, its source and form, and what is selected. */
export interface Bench {
  readonly editing: ReturnType<typeof useDraft>
  readonly survey: ShownSurvey
  readonly state: DraftState
  readonly selected: Selection
  readonly select: (selection: Selection) => void
  /** Moves to a line of the text, counting from 1. */
  readonly show: (line: { readonly at: number }) => void
}

/** Reads the first rows, shows what they give, and then reads the rest. */
const firstThenAll = async <A extends { readonly isWhole: boolean }>(
  read: (whole: boolean) => Promise<A>,
  show: (part: A) => void,
): Promise<A> => {
  const first = await read(false)
  if (first.isWhole) return first
  show(first)
  return read(true)
}

export const useDraft = (pipeline: string) => {
  // A new page may be that of a different pipeline with the old name.
  useState(() => renamed.delete(pipeline))
  const called = () => renamed.get(pipeline) ?? pipeline
  const current = () => drafts.get(called())
  const draft = current()
  const [, setRound] = useState({})
  useEffect(() => void (draw = () => setRound({})), [])
  const [failed, setFailed] = useState<Failed>()
  const [conflict, setConflict] = useState<Failed>()
  /** How often someone has come back to this page. A different program may have changed the source. */
  const [visit, setVisit] = useState(0)
  const opened = useAnswer(async (signal) => {
    // A draft without edits follows its file. Someone may edit it before the answer arrives.
    if (isEdited(pipeline)) return
    const { file, text, version } = await call("draft", "open", { pipeline }, signal)
    if (current() === draft) put(pipeline, { file, text, version, saved: text })
  }, [visit])
  const change = (text: string) => {
    const before = current()
    if (before !== undefined && before.text !== text) put(called(), { ...before, text })
  }
  /** Does something with the draft after all that was started before. Otherwise, the older of two edits could win. */
  const attempt = <A>(work: (draft: Draft) => Promise<A>): Promise<A | undefined> => {
    setFailed(undefined)
    const done = (lastDone.get(pipeline) ?? Promise.resolve()).then(async () => {
      const before = current()
      return before && await work(before).catch((error: Failed) => void setFailed(error))
    })
    lastDone.set(pipeline, done)
    return done
  }
  /** Changes the text. If someone typed in the meantime, starts again with the newer text. */
  const edit = (operation: Operation) =>
    attempt(async function changed({ text }): Promise<Edited> {
      const edited = await call("draft", "edit", { pipeline: called(), text, operation })
      const now = current()
      if (now !== undefined && now.text !== text) return changed(now)
      change(edited.text)
      return edited
    })
  const save = (version?: string) =>
    attempt(async ({ text, version: opened }) => {
      try {
        const about = { pipeline: called(), text, version: version ?? opened }
        const { pipeline: name, text: saved, ...file } = await call("draft", "save", about)
        const newer = current()?.text ?? text
        put(name, { ...file, saved, text: newer === text ? saved : newer })
        setConflict(undefined)
        if (name === about.pipeline) return
        // The pipeline has a new name, and so has its page.
        renamed.set(pipeline, name)
        drafts.delete(about.pipeline)
        location.replace(addressOf("map", name))
      } catch (error) {
        if ((error as Failed).version === undefined) throw error
        setConflict(error as Failed)
      }
    })
  /** Discards the edits, and shows what the file says now. */
  const takeTheirs = () => {
    const { text = "", version = "" } = conflict ?? {}
    if (draft !== undefined) put(pipeline, { ...draft, version, text, saved: text })
    setConflict(undefined)
  }

  const text = draft?.text
  const state = useAnswer<DraftState>(
    (signal) => text === undefined ? undefined : call("draft", "state", { pipeline, text }, signal),
    [text, visit],
    150,
  )
  const survey = useAnswer<ShownSurvey>(
    (signal, show) =>
      text === undefined
        ? undefined
        : firstThenAll((whole) => call("draft", "survey", { pipeline, text, whole }, signal), show),
    // The survey doesn't depend on the mapping.
    [text?.replace(/^mapping:[^]*?(?=^[^\s#]|(?![^]))/m, ""), visit],
    300,
  )
  useEffect(() => {
    const visited = () => setVisit((before) => before + 1)
    if (!survey.isStale) addEventListener("focus", visited)
    return () => removeEventListener("focus", visited)
  }, [survey.isStale])
  /** The form's questions, without the columns that may answer them. */
  const form = useMemo(
    () => JSON.stringify(survey.answer?.questions, (key, of) => key === "candidates" ? undefined : of),
    [survey.answer],
  )
  // What the page needs first is not delayed by the counts.
  const isOpened = state.answer !== undefined && survey.answer !== undefined
  const counts = useAnswer<DraftCounts>(
    (signal, show) =>
      text === undefined || !isOpened
        ? undefined
        : firstThenAll((whole) => call("draft", "counts", { pipeline, text, whole }, signal), show),
    [text, isOpened, survey.answer?.changedAt, form],
    300,
  )
  /** How many different cells are not options, by the id of the question. */
  const unmatched = new Map(counts.answer?.choices.map(({ choices, id }) => [id, choices.length]))
  const read = { failed: failed ?? opened.failed, state, counts, survey, unmatched, visit }
  return { pipeline, current, draft, conflict, change, edit, save, takeTheirs, ...read }
}
