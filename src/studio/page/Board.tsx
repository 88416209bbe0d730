import type { ComponentChildren, JSX } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Candidate, QuestionState, SurveyedColumn, SurveyedQuestion } from "../../domain/draft.ts"
import { type Label, percent } from "../../domain/words.ts"
import { act, check, input } from "./controls.tsx"
import type { Bench } from "./draft.ts"
import { useSeen } from "./hooks.ts"
import { badge, safe } from "./parts.tsx"
import { board as t } from "./strings.ts"

/** The height of a column or question in pixels. One height for all makes it cheap to draw only those that are seen. */
const height = 64

/** A column, or a question of the form tool that has several columns. */
type Item = Readonly<{ title: string; columns: readonly [SurveyedColumn, ...ReadonlyArray<SurveyedColumn>] }>

/** A question, and what the draft says about it. */
type Row = Readonly<{ question: SurveyedQuestion; said: QuestionState | undefined }>

/** Groups the columns of a block, unless the block is unfolded. */
export const itemsOf = (
  all: ReadonlyArray<SurveyedColumn>,
  unfolded: ReadonlyArray<string> = [],
): ReadonlyArray<Item> => {
  const items: Array<{ readonly title: string; readonly columns: [SurveyedColumn, ...Array<SurveyedColumn>] }> = []
  for (const column of all) {
    const { block, label, option, title } = column
    const last = items.at(-1)
    const isFolded = block !== undefined && !unfolded.includes(block)
    const shown = block === undefined ? label ?? title : isFolded ? block : option ?? title
    if (isFolded && last?.columns[0].block === block) last.columns.push(column)
    else items.push({ title: shown, columns: [column] })
  }
  return items
}

/** Returns the state of a question as it is shown. The tone of an open question is a warning. */
export const standing = (said: QuestionState | undefined): Label => {
  const { confidence, state = "missing" } = said ?? {}
  if (state === "mapped" && confidence !== undefined) return { title: t.suggested(confidence), tone: "calm" }
  return t.states[state]
}

/** Whether a person must still decide about a question. */
export const isUndecided = (said: QuestionState | undefined): boolean => standing(said).tone === "warn"

/** Returns the columns that answer a question, or may answer it. */
const linksOf = ({ question, said }: Row): ReadonlyArray<Omit<Candidate, "cells">> => {
  if (said?.state !== "mapped") return isUndecided(said) ? question.candidates.slice(0, 3) : []
  const { because = [] } = question.candidates.find(({ columns }) => columns.join() === said.from.join()) ?? {}
  return [{ columns: said.from, shown: said.shown ?? "", confidence: said.confidence ?? 1, because }]
}

const has = (text: string, search: string): boolean => text.toLowerCase().includes(search.toLowerCase())

/**
 * Makes a list of tiles one stop of Tab. Arrow keys, Home and End move the focus between tiles, Left and Right between a tile's buttons. Returns the
 * list's attributes, and the index of the tile that Tab reaches.
 */
const useTabStop = (count: number) => {
  const ul = useRef<HTMLUListElement>(null)
  const [stop, setStop] = useState(0)
  const isWanted = useRef(false)
  const at = Math.max(0, Math.min(stop, count - 1))
  const focusStop = () => ul.current?.querySelector<HTMLElement>(".pick[tabindex='0']")?.focus()
  // The focus would be lost with a button that is no longer shown after a click.
  const keep = ({ target }: Event) => (target as Element).closest("li")?.querySelector<HTMLElement>(".pick")?.focus()
  useEffect(() => {
    // A click on a tile has its own focus.
    if (isWanted.current) focusStop()
    isWanted.current = false
  }, [stop])
  const move = (event: KeyboardEvent) => {
    const focused = event.target as HTMLElement
    const buttons = [...focused.closest("li")?.querySelectorAll("button") ?? []]
    const aside = { ArrowLeft: -1, ArrowRight: 1 }[event.key]
    if (aside !== undefined) buttons[buttons.findIndex((one) => one === focused) + aside]?.focus()
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: count - 1 }[event.key]
    if (next === undefined) return
    event.preventDefault()
    const to = Math.max(0, Math.min(next, count - 1))
    // After two keys in quick succession, the tile may be the stop of Tab, but not have the focus yet.
    if (to === at) return focusStop()
    isWanted.current = true
    setStop(to)
  }
  const follow = ({ target }: FocusEvent) =>
    setStop(Number((target as HTMLElement).closest("li")?.getAttribute("aria-posinset")) - 1)
  return [{ ref: ul, onClick: keep, onKeyDown: move, onFocusIn: follow, "aria-describedby": "board-keys" }, at] as const
}

/** Shows a tile's name and what is known about it. */
const picking = (name: string, isChosen: boolean, isStop: boolean, go: () => void, more: ComponentChildren) => (
  <button type="button" class="pick" aria-pressed={isChosen} tabIndex={isStop ? 0 : -1} onClick={go}>
    <span class="name">{safe(name)}</span>
    <span class="more">{more}</span>
  </button>
)

/** Columns on the left, questions on the right, and lines between them. */
export const Board = ({ editing, select, selected, state, survey }: Bench) => {
  const [unfolded, setUnfolded] = useState<ReadonlyArray<string>>([])
  const [search, setSearch] = useState("")
  const [onlyOpen, setOnlyOpen] = useState(false)
  const [dragged, setDragged] = useState<ReadonlyArray<number>>()
  const unused = new Set(state.unused)
  const items = itemsOf(survey.columns, unfolded).filter(({ columns, title }) =>
    has(title, search) && (!onlyOpen || columns.some(({ position }) => unused.has(position)))
  )
  const known = new Map(state.questions.map((one) => [one.id, one]))
  const isOpen = ({ question, said }: Row) => editing.unmatched.has(question.id) || isUndecided(said)
  const questions = survey.questions.map((question): Row => ({ question, said: known.get(question.id) }))
    .filter((row) => has(row.question.name, search) && (!onlyOpen || isOpen(row)))
  const longest = Math.max(items.length, questions.length, 1)
  const [box, first, last] = useSeen(height, longest)
  const [columnList, columnStop] = useTabStop(items.length)
  const [questionList, questionStop] = useTabStop(questions.length)
  const at = new Map(items.flatMap(({ columns }, index) => columns.map(({ position }) => [position, index])))
  const chosen = selected.question
  const isChosen = (columns: ReadonlyArray<SurveyedColumn> = []): boolean =>
    columns.some(({ position }) => position === selected.column)

  const lines: Array<JSX.Element> = []
  const scores: Array<JSX.Element> = []
  questions.forEach(({ question, said }, index) => {
    for (const { because, columns, confidence } of linksOf({ question, said })) {
      const isSure = said?.state === "mapped" && said.confidence === undefined
      const ends = [...new Set(columns.flatMap((position) => at.get(position) ?? []))]
      ends.forEach((end, which) => {
        if (Math.max(end, index) < first || Math.min(end, index) > last) return
        const [from, to] = [(end + 0.5) * height, (index + 0.5) * height]
        const mark = chosen === question.id || isChosen(items[end]?.columns) ? "chosen" : ""
        const key = `${question.id} ${columns[0]} ${end}`
        const look = `${isSure ? "sure" : said?.state === "mapped" ? "" : "dashed"} ${mark}`
        const why = <title>{[percent(confidence), ...because].join(", ")}</title>
        lines.push(<path key={key} class={look} d={`M0 ${from} C50 ${from} 50 ${to} 100 ${to}`}>{why}</path>)
        if (isSure || which !== Math.floor((ends.length - 1) / 2)) return
        scores.push(<span key={key} class={mark} style={{ top: `${(from + to) / 2}px` }}>{percent(confidence)}</span>)
      })
    }
  })
  const [top, tall] = [first * height, (last - first) * height]
  // The tile that Tab reaches is drawn even if it is not seen.
  const seen = <A,>(all: ReadonlyArray<A>, stop: number) =>
    all.flatMap((one, index) => (index >= first && index < last) || index === stop ? [[one, index] as const] : [])
  const place = (index: number, all: ReadonlyArray<unknown>, tone: string, isChosen: boolean) => ({
    class: `tile ${tone} ${isChosen ? "chosen" : ""}`,
    style: { top: `${index * height}px` },
    "aria-setsize": all.length,
    "aria-posinset": index + 1,
  })
  const fold = (block: string) =>
    setUnfolded(unfolded.includes(block) ? unfolded.filter((one) => one !== block) : [...unfolded, block])
  const map = async (question: string, columns: ReadonlyArray<number>) => {
    const edited = await editing.edit({ _tag: "Map", question, columns, answers: {} })
    // What is still open about the entry is shown.
    if ((edited?.entry?.asks.length ?? 0) + (edited?.entry?.choices.length ?? 0) > 0) select({ question })
  }
  const columnTile = ([{ columns, title }, index]: readonly [Item, number]) => {
    const [{ block = "", kind, position, samples }] = columns
    const isUnused = columns.every((one) => unused.has(one.position))
    const traps = columns.reduce((sum, one) => sum + one.traps.length, 0)
    const fill = columns.reduce((sum, one) => sum + one.fill, 0) / columns.length
    const drag = ({ dataTransfer }: DragEvent) => {
      dataTransfer?.setData("text/plain", title)
      setDragged(columns.map((one) => one.position))
    }
    const drags = { draggable: true, onDragStart: drag, onDragEnd: () => setDragged(undefined) }
    return (
      <li key={position} {...place(index, items, isUnused ? "warn" : "", isChosen(columns))} {...drags}>
        {picking(title, isChosen(columns), index === columnStop, () => select({ column: position }), [
          <span key={1} class="kind">{kind}</span>,
          <span key={2}>{t.filled(fill)}</span>,
          isUnused && <span key={3} class="warn-text">{t.unused}</span>,
          traps > 0 && <span key={4} class="warn-text">{t.traps(traps)}</span>,
          <span key={5} class="soft">{safe(samples.map(({ label, text }) => label ?? text).join(" · "))}</span>,
        ])}
        {block !== ""
          && act(columns.length > 1 ? columns.length : "−", () => fold(block), {
            label: t.fold(block, columns.length),
            tab: -1,
          })}
      </li>
    )
  }
  const questionTile = ([{ question, said }, index]: readonly [Row, number]) => {
    const { candidates, id, type } = question
    const name = `${question.name}${said?.required === true ? " *" : ""}`
    const named = { question: id, name: question.name }
    const [best] = isUndecided(said) ? candidates : []
    const isMapped = said?.state === "mapped"
    const unmatched = editing.unmatched.get(question.id) ?? 0
    const shown = best === undefined ? said?.shown ?? "" : t.perhaps(best.shown)
    const accept = () => isMapped ? editing.edit({ _tag: "Accept", ...named }) : map(id, best?.columns ?? [])
    const reject = () =>
      editing.edit(isMapped ? { _tag: "Unmap", ...named } : { _tag: "LeaveUnanswered", question: id })
    const drag = (event: DragEvent) => {
      if (dragged === undefined) return
      event.preventDefault()
      if (event.type === "drop") void map(id, dragged)
    }
    return (
      <li key={id} {...place(index, questions, standing(said).tone, chosen === id)} onDragOver={drag} onDrop={drag}>
        {picking(name, chosen === id, index === questionStop, () =>
          select({ question: id }), [
          !isMapped && best !== undefined && <span key={3} class="narrow score">{percent(best.confidence)}</span>,
          badge(standing(said)),
          <span key={1} class="kind">{said?.as ?? type}</span>,
          unmatched > 0 && <span key={4} class="warn-text">{t.unmatched(unmatched)}</span>,
          <span key={2} class="soft">{safe(shown)}</span>,
        ])}
        {(isMapped ? said.confidence !== undefined : best !== undefined) && (
          <>
            {act("✓", accept, { label: t.accept(question.name), tab: -1, tone: "good" })}
            {isMapped
              ? act("✕", reject, { label: t.reject(question.name), tab: -1, tone: "bad" })
              : act("∅", reject, { label: t.leave(question.name), tab: -1, tone: "calm" })}
          </>
        )}
      </li>
    )
  }
  return (
    <div class="board">
      <div class="tools">
        {input(t.search, search, setSearch)}
        {check(t.onlyOpen, onlyOpen, setOnlyOpen)}
      </div>
      <div class="titles">
        <h3>{t.columns(survey.columns.length)}</h3>
        <h3>{t.questions(questions.length)}</h3>
      </div>
      <p class="hidden" id="board-keys">{t.keys}</p>
      <div class="scroll" ref={box} role="group" aria-label={t.label}>
        <div class="field" style={{ height: `${longest * height}px` }}>
          <ul class="plain columns" aria-label={t.columnList} {...columnList}>
            {seen(items, columnStop).map(columnTile)}
          </ul>
          <div class="lines" aria-hidden="true">
            <svg viewBox={`0 ${top} 100 ${tall}`} preserveAspectRatio="none" style={`top: ${top}px; height: ${tall}px`}>
              {lines}
            </svg>
            {scores}
          </div>
          <ul class="plain questions" aria-label={t.questionList} {...questionList}>
            {seen(questions, questionStop).map(questionTile)}
          </ul>
        </div>
      </div>
    </div>
  )
}
