import type { JSX } from "preact"
import { useMemo, useState } from "preact/hooks"
import { count } from "../../domain/words.ts"
import type { Tone } from "../../domain/words.ts"
import type { Candidate, QuestionState, Survey, SurveyedColumn } from "../Api.ts"
import type { Bench } from "./draft.ts"
import { Badge, Check, Input, Name, useSeen } from "./parts.tsx"
import { board as t, percent } from "./strings.ts"

/** The height of a column or question in pixels. One height for all makes it cheap to draw only those that are seen. */
const height = 64

export type SurveyedQuestion = Survey["questions"][number]

/** A column, or a question of the form tool that has several columns. */
interface Item {
  readonly title: string
  readonly columns: ReadonlyArray<SurveyedColumn>
}

/** Puts columns of one block together, unless the block is unfolded. */
export const itemsOf = (
  columns: ReadonlyArray<SurveyedColumn>,
  unfolded?: ReadonlySet<string>,
): ReadonlyArray<Item> => {
  const items: Array<Item & { readonly columns: Array<SurveyedColumn> }> = []
  for (const column of columns) {
    const { block, label, option, title } = column
    const last = items.at(-1)
    const isFolded = block !== undefined && unfolded?.has(block) !== true
    if (isFolded && last?.columns[0]?.block === block) last.columns.push(column)
    else {items.push({
        title: block === undefined ? label ?? title : isFolded ? block : option ?? title,
        columns: [column],
      })}
  }
  return items
}

/** Returns the state of a question as it is shown. Those that warn are open. */
export const standing = (said: QuestionState | undefined): { readonly title: string; readonly tone: Tone } => {
  const { confidence, state = "missing" } = said ?? {}
  if (state === "mapped" && confidence !== undefined) return { title: t.suggested(confidence), tone: "calm" }
  return { title: t.states[state], tone: state === "mapped" ? "good" : state === "unanswered" ? "calm" : "warn" }
}

/** The maximum number of suggestions that are drawn for an open question. */
const mostDrawn = 3

/** Returns the columns that answer a question, or may answer it. */
const linksOf = (
  question: SurveyedQuestion,
  said: QuestionState | undefined,
): ReadonlyArray<Omit<Candidate, "cells">> => {
  if (said?.state === "unanswered") return []
  if (said?.state !== "mapped") return question.candidates.slice(0, mostDrawn)
  const { because = [] } = question.candidates.find(({ columns }) => columns.join() === said.from.join()) ?? {}
  return [{ columns: said.from, shown: said.shown ?? "", confidence: said.confidence ?? 1, because }]
}

const has = (text: string, search: string): boolean => text.toLowerCase().includes(search.toLowerCase())

/** Moves the focus to the next or previous tile of a list. */
const turn = (event: KeyboardEvent) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
  const tile = (event.target as HTMLElement).closest("li")
  const next = event.key === "ArrowDown" ? tile?.nextElementSibling : tile?.previousElementSibling
  event.preventDefault()
  next?.querySelector<HTMLElement>(".pick")?.focus()
}

/** Columns on the left, questions on the right, and lines between them. */
export const Board = (bench: Bench) => {
  const { editing, select, selected, state, survey } = bench
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const [search, setSearch] = useState("")
  const [onlyOpen, setOnlyOpen] = useState(false)
  const [dragged, setDragged] = useState<ReadonlyArray<number>>()
  const [target, setTarget] = useState<string>()
  const [box, first, last] = useSeen(height)
  const unused = useMemo(() => new Set(state?.unused), [state])
  const items = useMemo(
    () =>
      itemsOf(survey.columns, unfolded).filter(({ columns, title }) =>
        has(title, search) && (!onlyOpen || columns.some(({ position }) => unused.has(position)))
      ),
    [survey, unfolded, search, onlyOpen, unused],
  )
  const questions = useMemo(() => {
    const known = new Map(state?.questions.map((one) => [one.id, one]))
    return survey.questions.map((question) => ({ question, said: known.get(question.id) })).filter((
      { question, said },
    ) => has(question.name, search) && (!onlyOpen || standing(said).tone === "warn"))
  }, [survey, state, search, onlyOpen])
  const at = useMemo(
    () => new Map(items.flatMap(({ columns }, index) => columns.map(({ position }) => [position, index] as const))),
    [items],
  )
  const chosen = (what: { readonly question: string } | { readonly columns: Item["columns"] }): boolean =>
    selected !== undefined
    && ("question" in what
      ? "question" in selected && selected.question === what.question
      : "column" in selected && what.columns.some(({ position }) => position === selected.column))

  const lines: Array<JSX.Element> = []
  const scores: Array<JSX.Element> = []
  questions.forEach(({ question, said }, index) => {
    for (const { because, columns, confidence } of linksOf(question, said)) {
      const isSure = said?.state === "mapped" && said.confidence === undefined
      const ends = [...new Set(columns.flatMap((position) => at.get(position) ?? []))]
      ends.forEach((end, which) => {
        if (Math.max(end, index) < first || Math.min(end, index) > last) return
        const [from, to] = [(end + 0.5) * height, (index + 0.5) * height]
        const mark = chosen({ question: question.id }) || chosen({ columns: items[end]?.columns ?? [] }) ? "chosen" : ""
        const key = `${question.id} ${columns[0]} ${end}`
        lines.push(
          <path
            key={key}
            class={`${isSure ? "sure" : said?.state === "mapped" ? "" : "dashed"} ${mark}`}
            d={`M0 ${from} C50 ${from} 50 ${to} 100 ${to}`}
          >
            <title>{[percent(confidence), ...because].join(", ")}</title>
          </path>,
        )
        if (isSure || which !== Math.floor((ends.length - 1) / 2)) return
        scores.push(<span key={key} class={mark} style={{ top: `${(from + to) / 2}px` }}>{percent(confidence)}</span>)
      })
    }
  })
  const seen = <A,>(all: ReadonlyArray<A>) => all.slice(first, last).map((one, index) => [one, first + index] as const)
  const place = (index: number, all: ReadonlyArray<unknown>) => ({
    style: { top: `${index * height}px` },
    "aria-setsize": all.length,
    "aria-posinset": index + 1,
  })
  const fold = (block: string) =>
    setUnfolded((before) =>
      new Set(before.has(block) ? [...before].filter((one) => one !== block) : [...before, block])
    )
  const map = async (question: string, columns: ReadonlyArray<number>) => {
    const edited = await editing.edit({ _tag: "Map", question, columns, answers: {} })
    // What is still open about the entry is shown.
    if ((edited?.entry?.asks.length ?? 0) + (edited?.entry?.choices.length ?? 0) > 0) select({ question })
  }
  return (
    <div class="board">
      <div class="tools">
        <Input label={t.search} type="search" value={search} set={setSearch} />
        <Check label={t.onlyOpen} on={onlyOpen} set={setOnlyOpen} />
      </div>
      <div class="titles">
        <h3>{t.columns(survey.columns.length)}</h3>
        <h3>{t.questions(questions.length)}</h3>
      </div>
      <div class="scroll" ref={box} tabIndex={0} role="group" aria-label={t.label}>
        <div class="field" style={{ height: `${Math.max(items.length, questions.length, 1) * height}px` }}>
          <ul class="plain columns" aria-label={t.columnList} onKeyDown={turn}>
            {seen(items).map(([{ columns, title }, index]) => (
              <li
                key={columns[0]?.position}
                {...place(index, items)}
                class={`tile ${columns.every(({ position }) => unused.has(position)) ? "warn" : ""} ${
                  chosen({ columns }) ? "chosen" : ""
                }`}
                draggable
                onDragStart={({ dataTransfer }) => {
                  dataTransfer?.setData("text/plain", title)
                  setDragged(columns.map(({ position }) => position))
                }}
                onDragEnd={() => setDragged(undefined)}
              >
                <ColumnTile
                  columns={columns}
                  title={title}
                  isChosen={chosen({ columns })}
                  unused={unused}
                  select={select}
                  fold={fold}
                />
              </li>
            ))}
          </ul>
          <div class="lines" aria-hidden="true">
            <svg
              viewBox={`0 ${first * height} 100 ${(last - first) * height}`}
              preserveAspectRatio="none"
              style={{ top: `${first * height}px`, height: `${(last - first) * height}px` }}
            >
              {lines}
            </svg>
            {scores}
          </div>
          <ul class="plain questions" aria-label={t.questionList} onKeyDown={turn}>
            {seen(questions).map(([{ question, said }, index]) => (
              <li
                key={question.id}
                {...place(index, questions)}
                class={`tile ${standing(said).tone} ${chosen({ question: question.id }) ? "chosen" : ""} ${
                  target === question.id ? "over" : ""
                }`}
                onDragOver={(event) => {
                  if (dragged === undefined) return
                  event.preventDefault()
                  setTarget(question.id)
                }}
                onDragLeave={() => setTarget(undefined)}
                onDrop={(event) => {
                  event.preventDefault()
                  setTarget(undefined)
                  if (dragged !== undefined) void map(question.id, dragged)
                }}
              >
                <QuestionTile
                  bench={bench}
                  question={question}
                  said={said}
                  isChosen={chosen({ question: question.id })}
                  map={map}
                />
              </li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  )
}

type ColumnTile = Readonly<{
  columns: Item["columns"]
  title: string
  isChosen: boolean
  unused: ReadonlySet<number>
  select: Bench["select"]
  fold: (block: string) => void
}>

const ColumnTile = ({ columns, fold, isChosen, select, title, unused }: ColumnTile) => {
  const [column] = columns
  if (column === undefined) return null
  const { block, kind, position, samples } = column
  const traps = columns.reduce((sum, one) => sum + one.traps.length, 0)
  const fill = columns.reduce((sum, one) => sum + one.fill, 0) / columns.length
  return (
    <>
      <button type="button" class="pick" aria-pressed={isChosen} onClick={() => select({ column: position })}>
        <span class="name">
          <Name text={title} />
        </span>
        <span class="more">
          <span class="kind">{kind}</span>
          <span>{t.filled(fill)}</span>
          {columns.every((one) => unused.has(one.position)) && <span class="warn-text">{t.unused}</span>}
          {traps > 0 && <span class="warn-text">{t.traps(traps)}</span>}
          <span class="soft">
            <Name text={samples.map(({ label, text }) => label ?? text).join(" · ")} />
          </span>
        </span>
      </button>
      {block !== undefined && (
        <button
          type="button"
          aria-expanded={columns.length < 2}
          aria-label={t.fold(block)}
          onClick={() => fold(block)}
        >
          {columns.length > 1 ? count(columns.length) : "−"}
        </button>
      )}
    </>
  )
}

type QuestionTile = Readonly<{
  bench: Bench
  question: SurveyedQuestion
  said: QuestionState | undefined
  isChosen: boolean
  map: (question: string, columns: ReadonlyArray<number>) => void
}>

const QuestionTile = ({ bench: { editing, select }, isChosen, map, question, said }: QuestionTile) => {
  const { id, name, type = "" } = question
  const [best] = said?.state === "unanswered" ? [] : question.candidates
  const isMapped = said?.state === "mapped"
  const shown = isMapped ? said.shown ?? "" : best === undefined ? "" : t.perhaps(best.shown)
  const accept = () => isMapped ? editing.edit({ _tag: "Accept", question: id }) : map(id, best?.columns ?? [])
  const reject = () => editing.edit({ _tag: isMapped ? "Unmap" : "LeaveUnanswered", question: id })
  return (
    <>
      <button type="button" class="pick" aria-pressed={isChosen} onClick={() => select({ question: id })}>
        <span class="name">
          <Name text={name} />
          {said?.required === true && <abbr title={t.required}>*</abbr>}
        </span>
        <span class="more">
          <Badge {...standing(said)} />
          <span class="kind">{said?.as ?? type}</span>
          <span class="soft">
            <Name text={shown} />
          </span>
        </span>
      </button>
      {(isMapped ? said.confidence !== undefined : best !== undefined) && (
        <>
          <button type="button" class="yes" aria-label={t.accept(name)} onClick={accept}>✓</button>
          <button type="button" class="no" aria-label={t.reject(name)} onClick={reject}>✕</button>
        </>
      )}
    </>
  )
}
