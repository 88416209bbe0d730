import type { JSX } from "preact"
import { useMemo, useState } from "preact/hooks"
import type { Candidate, DraftState, QuestionState, Survey, SurveyedColumn } from "../Api.ts"
import type { Tone } from "../../domain/words.ts"
import { Badge, Name, useSeen, visible } from "./parts.tsx"
import { board as t, count, percent } from "./strings.ts"

/** The height of a column or question in pixels. One height for all makes it cheap to draw only those that are seen. */
const height = 64

/** A column, or a question of the form tool that has several columns. */
export interface Item {
  readonly key: string
  readonly title: string
  readonly columns: ReadonlyArray<SurveyedColumn>
}

/** Puts columns of one block together, unless the block is unfolded. */
export const itemsOf = (
  columns: ReadonlyArray<SurveyedColumn>,
  unfolded: ReadonlySet<string> = new Set(),
): ReadonlyArray<Item> => {
  const items: Array<Item & { columns: Array<SurveyedColumn> }> = []
  for (const column of columns) {
    const last = items.at(-1)
    const { block } = column
    if (block !== undefined && !unfolded.has(block) && last?.columns[0]?.block === block) last.columns.push(column)
    else items.push({ key: `c${column.position}`, title: block ?? column.label ?? column.title, columns: [column] })
  }
  return items.map((item) => {
    const [only] = item.columns
    return item.columns.length > 1 || only === undefined
      ? item
      : { ...item, title: only.block === undefined ? item.title : `${only.block}: ${only.option ?? only.title}` }
  })
}

export type SurveyedQuestion = Survey["questions"][number]

/** A question of the form, and what the draft says about it. */
interface Row {
  readonly question: SurveyedQuestion
  readonly said: QuestionState | undefined
}

/** What is selected on the board. */
export type Selection = { readonly question: string } | { readonly column: number } | undefined

/** Returns the state of a question as it is shown. */
export const standing = (said: QuestionState | undefined): { readonly title: string; readonly tone: Tone } =>
  said?.state === "mapped"
    ? said.confidence === undefined
      ? { title: t.states.mapped, tone: "good" }
      : { title: t.suggested(said.confidence), tone: "calm" }
    : said?.state === "unanswered"
    ? { title: t.states.unanswered, tone: "calm" }
    : said?.state === "open"
    ? { title: t.states.open, tone: "warn" }
    : { title: t.states.missing, tone: "warn" }

const isOpen = ({ said }: Row): boolean => standing(said).tone === "warn"

/** How many suggestions of an open question are drawn. */
const mostDrawn = 3

/** Returns the columns that answer a question, or may answer it. */
const linksOf = ({ question, said }: Row): ReadonlyArray<Candidate & { readonly isSure: boolean }> =>
  said?.state === "mapped"
    ? [{
      columns: said.from,
      shown: said.shown ?? "",
      confidence: said.confidence ?? 1,
      because: question.candidates.find(({ columns }) => columns.join() === said.from.join())?.because ?? [],
      cells: [],
      isSure: said.confidence === undefined,
    }]
    : said?.state === "unanswered"
    ? []
    : question.candidates.slice(0, mostDrawn).map((one) => ({ ...one, isSure: false }))

/** Columns on the left, questions on the right, and lines between them. */
export const Board = (
  { survey, state, selected, select, map, accept, reject }: {
    readonly survey: Survey
    readonly state: DraftState | undefined
    readonly selected: Selection
    readonly select: (selection: Selection) => void
    readonly map: (question: string, columns: ReadonlyArray<number>) => void
    readonly accept: (question: SurveyedQuestion, said: QuestionState | undefined) => void
    readonly reject: (question: SurveyedQuestion, said: QuestionState | undefined) => void
  },
) => {
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set())
  const [search, setSearch] = useState("")
  const [onlyOpen, setOnlyOpen] = useState(false)
  const [dragged, setDragged] = useState<ReadonlyArray<number>>()
  const [target, setTarget] = useState<string>()
  const [box, { first, last }] = useSeen(height)
  const unused = useMemo(() => new Set(state?.unused), [state])
  const items = useMemo(
    () =>
      itemsOf(survey.columns, unfolded).filter((item) =>
        has(item.title, search) && (!onlyOpen || item.columns.some(({ position }) => unused.has(position)))
      ),
    [survey, unfolded, search, onlyOpen, unused],
  )
  const rows = useMemo(() => {
    const said = new Map(state?.questions.map((one) => [one.id, one]))
    return survey.questions.map((question): Row => ({ question, said: said.get(question.id) }))
      .filter((row) => has(row.question.name, search) && (!onlyOpen || isOpen(row)))
  }, [survey, state, search, onlyOpen])
  const at = useMemo(
    () => new Map(items.flatMap(({ columns }, index) => columns.map(({ position }) => [position, index] as const))),
    [items],
  )
  const total = Math.max(items.length, rows.length, 1) * height
  const chosenQuestion = selected !== undefined && "question" in selected ? selected.question : undefined
  const chosenColumn = selected !== undefined && "column" in selected ? selected.column : undefined

  const lines: Array<JSX.Element> = []
  const scores: Array<JSX.Element> = []
  rows.forEach((row, index) => {
    for (const link of linksOf(row)) {
      const ends = [...new Set(link.columns.flatMap((position) => at.get(position) ?? []))]
      ends.forEach((end, which) => {
        if (Math.max(end, index) < first || Math.min(end, index) > last) return
        const [from, to] = [(end + 0.5) * height, (index + 0.5) * height]
        const isChosen = row.question.id === chosenQuestion || (chosenColumn !== undefined && at.get(chosenColumn) === end)
        const look = `${row.said?.state === "mapped" ? "" : "dashed"} ${link.isSure ? "sure" : ""} ${isChosen ? "chosen" : ""}`
        const key = `${row.question.id} ${link.columns[0]} ${end}`
        lines.push(
          <path key={key} class={look} d={`M0 ${from} C50 ${from} 50 ${to} 100 ${to}`}>
            <title>{[percent(link.confidence), ...link.because].join(", ")}</title>
          </path>,
        )
        if (!link.isSure && which === Math.floor((ends.length - 1) / 2)) {
          scores.push(
            <span key={key} class={isChosen ? "chosen" : ""} style={{ top: `${(from + to) / 2}px` }}>
              {percent(link.confidence)}
            </span>,
          )
        }
      })
    }
  })
  const within = <A,>(all: ReadonlyArray<A>) => all.slice(first, last).map((one, index) => [one, first + index] as const)
  return (
    <div class="board">
      <div class="tools">
        <label>{t.search} <input type="search" value={search} onInput={(event) => setSearch(event.currentTarget.value)} /></label>
        <label class="check">
          <input type="checkbox" checked={onlyOpen} onChange={(event) => setOnlyOpen(event.currentTarget.checked)} />{" "}
          {t.onlyOpen}
        </label>
      </div>
      <div class="titles">
        <h3>{t.columns(items.length, survey.columns.length)}</h3>
        <h3>{t.questions(rows.length)}</h3>
      </div>
      <div class="scroll" ref={box} tabIndex={0} role="group" aria-label={t.label}>
        <div class="field" style={{ height: `${total}px` }}>
          <ul class="plain columns" onKeyDown={turn}>
            {within(items).map(([item, index]) => (
              <ColumnCard
                key={item.key}
                item={item}
                index={index}
                total={items.length}
                isUnused={item.columns.every(({ position }) => unused.has(position))}
                isSelected={item.columns.some(({ position }) => position === chosenColumn)}
                select={() => select({ column: item.columns[0]?.position ?? 0 })}
                drag={setDragged}
                fold={(block) =>
                  setUnfolded((before) => {
                    const next = new Set(before)
                    if (!next.delete(block)) next.add(block)
                    return next
                  })}
              />
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
          <ul class="plain questions" onKeyDown={turn}>
            {within(rows).map(([{ question, said }, index]) => (
              <li
                key={question.id}
                aria-setsize={rows.length}
                aria-posinset={index + 1}
                style={{ top: `${index * height}px` }}
                class={`tile ${standing(said).tone} ${question.id === chosenQuestion ? "chosen" : ""} ${
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
                  if (dragged !== undefined) map(question.id, dragged)
                }}
              >
                <QuestionTile
                  question={question}
                  said={said}
                  isSelected={question.id === chosenQuestion}
                  select={() => select({ question: question.id })}
                  accept={() => accept(question, said)}
                  reject={() => reject(question, said)}
                />
              </li>
            ))}
          </ul>
        </div>
      </div>
    </div>
  )
}

const has = (text: string, search: string): boolean => text.toLowerCase().includes(search.toLowerCase())

/** Moves the focus to the next or previous tile of a list. */
const turn = (event: KeyboardEvent) => {
  if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return
  const tile = (event.target as HTMLElement).closest("li")
  const next = event.key === "ArrowDown" ? tile?.nextElementSibling : tile?.previousElementSibling
  if (next === null || next === undefined) return
  event.preventDefault()
  next.querySelector<HTMLElement>(".pick")?.focus()
}

const ColumnCard = (
  { item, index, total, isUnused, isSelected, select, drag, fold }: {
    readonly item: Item
    readonly index: number
    readonly total: number
    readonly isUnused: boolean
    readonly isSelected: boolean
    readonly select: () => void
    readonly drag: (columns: ReadonlyArray<number> | undefined) => void
    readonly fold: (block: string) => void
  },
) => {
  const [column] = item.columns
  if (column === undefined) return null
  const traps = item.columns.reduce((sum, one) => sum + one.traps.length, 0)
  const fill = item.columns.reduce((sum, one) => sum + one.fill, 0) / item.columns.length
  return (
    <li
      class={`tile ${isUnused ? "warn" : ""} ${isSelected ? "chosen" : ""}`}
      style={{ top: `${index * height}px` }}
      aria-setsize={total}
      aria-posinset={index + 1}
      draggable
      onDragStart={(event) => {
        event.dataTransfer?.setData("text/plain", item.title)
        drag(item.columns.map(({ position }) => position))
      }}
      onDragEnd={() => drag(undefined)}
    >
      <button type="button" class="pick" aria-pressed={isSelected} onClick={select}>
        <span class="name"><Name text={item.title} /></span>
        <span class="more">
          <span class="kind">{column.kind}</span> {t.filled(fill)}
          {traps > 0 && <span class="warn-text">{t.traps(traps)}</span>}
          {isUnused && <span class="warn-text">{t.unused}</span>}
          <span class="soft">{visible(column.samples.map(({ label, text }) => label ?? text).join(" · "), 80)}</span>
        </span>
      </button>
      {column.block !== undefined && (
        <button
          type="button"
          class="fold"
          aria-expanded={item.columns.length === 1}
          aria-label={t.fold(column.block, item.columns.length)}
          onClick={() => fold(column.block ?? "")}
        >
          {item.columns.length > 1 ? count(item.columns.length) : "−"}
        </button>
      )}
    </li>
  )
}

const QuestionTile = (
  { question, said, isSelected, select, accept, reject }: {
    readonly question: SurveyedQuestion
    readonly said: QuestionState | undefined
    readonly isSelected: boolean
    readonly select: () => void
    readonly accept: () => void
    readonly reject: () => void
  },
) => {
  const [best] = question.candidates
  const { title, tone } = standing(said)
  const isSuggested = said?.state === "mapped" ? said.confidence !== undefined : said?.state !== "unanswered" && best !== undefined
  return (
    <>
      <button type="button" class="pick" aria-pressed={isSelected} onClick={select}>
        <span class="name">
          <Name text={question.name} />
          {said?.required === true && <abbr title={t.required}>*</abbr>}
        </span>
        <span class="more">
          <Badge tone={tone}>{title}</Badge>
          <span class="kind">{said?.as ?? question.type ?? ""}</span>
          <span class="soft from">
            {said?.state === "mapped"
              ? <Name text={said.shown ?? ""} />
              : best !== undefined && said?.state !== "unanswered"
              ? <>{t.perhaps} <Name text={best.shown} /></>
              : ""}
          </span>
        </span>
      </button>
      {isSuggested && (
        <span class="verdict">
          <button type="button" class="yes" aria-label={t.accept(question.name)} title={t.acceptIt} onClick={accept}>✓</button>
          <button type="button" class="no" aria-label={t.reject(question.name)} title={t.rejectIt} onClick={reject}>✕</button>
        </span>
      )}
    </>
  )
}
