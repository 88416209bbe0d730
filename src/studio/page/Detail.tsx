import { useEffect, useState } from "preact/hooks"
import type { Ask, Edited, QuestionState, SurveyedColumn, SurveyedQuestion } from "../../domain/draft.ts"
import { optionNamer, optionTitle } from "../../domain/form.ts"
import type { OwnTime } from "../../domain/item.ts"
import { count, numbers, percent } from "../../domain/words.ts"
import type { Operation } from "../../jobs/draftEdit.ts"
import { isUndecided, itemsOf, standing } from "./Board.tsx"
import { call } from "./call.ts"
import { act, choice, input, option, pick } from "./controls.tsx"
import type { Bench } from "./draft.ts"
import { useAnswer } from "./hooks.ts"
import { asCell, badge, more, Problem, safe, table, type TableRow, warning } from "./parts.tsx"
import { detail as t, general } from "./strings.ts"

type Answers = Readonly<Record<string, string>>

/** Returns what an entry leaves open. The text doesn't change until someone uses the entry. */
const useLook = ({ editing: { draft, pipeline } }: Bench, operation: Operation | undefined) =>
  useAnswer(
    (signal) => operation && call("draft", "edit", { pipeline, text: draft?.text ?? "", operation }, signal),
    [JSON.stringify(operation)],
  )

/** Asks for what only a person can decide about something that is called `of`. Shows what each choice reads from a few cells. */
const asking = (of: string, asks: ReadonlyArray<Ask> = [], answers: Answers, set: (answers: Answers) => void) =>
  asks.map(({ choices, key, why }) => {
    const answer = (value: string) => set({ ...answers, [key]: value })
    return (
      <fieldset key={key}>
        <legend>{t.ask(key)}</legend>
        <p class="soft small">{safe(why)}</p>
        {choices.map(({ samples, value }) =>
          option(`${of} ${key}`, value, answers[key] === value, () => answer(value), [
            <code key={value}>{value}</code>,
            ...samples.map((one) => (
              <span key={one.cell} class="sample">{asCell(one.cell)} → {asCell(one.value)}</span>
            )),
          ])
        )}
        {choices.length === 0 && input(t.answer, answers[key] ?? "", answer)}
      </fieldset>
    )
  })

/** Returns what an entry sets, as answers to what may be asked. */
const answersIn = ({ options }: Pick<QuestionState, "options">): Answers =>
  Object.fromEntries(
    Object.entries(options).flatMap(([key, value]) => {
      const [one, ...others] = [value].flat()
      return typeof one === "string" && others.length === 0 ? [[key, one]] : []
    }),
  )

type OfQuestion = Readonly<{ bench: Bench; question: SurveyedQuestion; said: QuestionState | undefined }>

/** What is known about a question, what may answer it, and what is open about its entry. */
const QuestionDetail = ({ bench, question: { candidates, id, name, options, type }, question, said }: OfQuestion) => {
  const { editing: { edit }, selected, survey } = bench
  const mapped = said?.state === "mapped" ? said.from.join() : ""
  const [columns, setColumns] = useState(selected.columns?.join() || mapped || candidates[0]?.columns.join() || "")
  const [changed, setAnswers] = useState<Answers>({})
  const inUse = said !== undefined && columns === mapped ? answersIn(said) : {}
  const answers = { ...inUse, ...changed }
  const map = { _tag: "Map", question: id, columns: columns.split(",").map(Number), answers } as const
  const looked = useLook(bench, columns === "" ? undefined : map)
  const entry = looked.answer?.entry
  const kind = said?.as ?? entry?.kind
  const choose = (next: string) => {
    setColumns(next)
    setAnswers({})
  }
  const isNew = columns !== mapped || Object.entries(changed).some(([key, value]) => inUse[key] !== value)
  const others = itemsOf(survey.columns).flatMap(({ columns: [first, ...more], title }) => {
    if (more.length === 0) return [[`${first.position}`, title] as const]
    const all = [first, ...more].map(({ option, position, title }) => [`${position}`, `– ${option ?? title}`] as const)
    return [[all.map(([position]) => position).join(), t.block(title, all.length)] as const, ...all]
  })
  const isChosen = (one: { readonly columns: ReadonlyArray<number> }) => one.columns.join() === columns
  const positions = columns.split(",")
  const left = others.filter(([value]) => !positions.includes(value))
  const chosen = survey.columns.filter(({ position }) => positions.includes(`${position}`))
  const head = (
    <p>
      {badge(standing(said))} <span class="kind">{entry?.kind ?? said?.as ?? type}</span>{" "}
      {said?.line !== undefined && act(t.line(said.line), () => bench.show({ at: said.line ?? 1 }), { link: true })}
    </p>
  )
  if (said?.state === "redirected") return [head, <p key={1}>{safe(t.redirected(said.shown ?? ""))}</p>]
  return (
    <>
      {head}
      {options !== undefined && <p class="small soft">{safe(t.options(options.map(({ label }) => label)))}</p>}
      {warning(entry?.misfit)}
      {warning(entry?.open)}
      {asking(id, entry?.asks, answers, setAnswers)}
      {mapped !== "" && kind !== undefined && (
        <Choices bench={bench} question={question} said={said} as={kind} open={entry?.choices ?? []} />
      )}
      <fieldset>
        <legend>{t.answeredBy}</legend>
        {candidates.map(({ because, cells, columns: those, confidence, shown }) =>
          option("candidate", those.join(), columns === those.join(), () => choose(those.join()), [
            <strong key={1}>{safe(shown)}</strong>,
            <span key={2} class="score">{percent(confidence)}</span>,
            <span key={3} class="sample soft">{because.join(", ")}</span>,
            <span key={4} class="sample">{asCell(cells.slice(0, 3))}</span>,
          ])
        )}
        <div class="fields">
          {pick(t.other, candidates.some(isChosen) ? "" : columns, choose, others)}
          {chosen.length > 0 && pick(t.join, "", (next) => choose(`${columns},${next}`), left)}
        </div>
        {chosen.length > 1 && !candidates.some(isChosen) && <p>{safe(chosen.map(({ title }) => title).join(" + "))}</p>}
      </fieldset>
      <Problem failed={looked.failed} />
      <p class="acts">
        {mapped !== "" && said?.confidence !== undefined && !isNew
          && act(t.accept, () => edit({ _tag: "Accept", question: id, name }), { main: true })}
        {columns !== "" && isNew && act(t.use, () => edit(map), { main: true })}
        {mapped !== "" && act(t.unmap, () => edit({ _tag: "Unmap", question: id, name }))}
        {said?.state !== "unanswered" && act(t.leave, () => edit({ _tag: "LeaveUnanswered", question: id }))}
      </p>
      <p class="soft small">{t.inText}</p>
    </>
  )
}

type OfChoices = OfQuestion & Readonly<{ as: string; open: NonNullable<Edited["entry"]>["choices"] }>

const cellsShown = 200

/** The maximum number of elements for the options of all cells. More would freeze the page. */
const mostOptions = 20_000

/** Matches each cell that is not an option with one. */
const Choices = ({ as, bench: { editing }, open, question: { id, name, options }, said }: OfChoices) => {
  /** The cell whose options are shown, if there are too many to show those of all cells. */
  const [focused, setFocused] = useState<string>()
  /** Options that someone has just chosen, until the state of the changed text shows them, and how many edits are being done. */
  const [{ doing, picked }, setPicked] = useState({ doing: 0, picked: {} as Record<string, string | null> })
  useEffect(() => doing === 0 ? setPicked({ doing, picked: {} }) : undefined, [said])
  const values: Readonly<Record<string, unknown>> = { ...Object(said?.options["values"] ?? {}), ...picked }
  /** Whether the entry says which option a cell is. A cell may be called like a method of every object. */
  const isSet = (cell: string) => Object.hasOwn(values, cell)
  const all = new Map<string, { readonly count?: number; readonly likely?: string | undefined }>()
  for (const cell of Object.keys(values)) all.set(cell, {})
  const counted = editing.counts.answer?.choices.find((one) => one.id === id)
  for (const { choice: cell, ...rest } of [...counted?.choices ?? [], ...open]) all.set(cell, rest)
  if (all.size === 0 || options === undefined) return null
  const set = async (cell: string, option: string | null) => {
    setPicked(({ doing, picked }) => ({ doing: doing + 1, picked: { ...picked, [cell]: option } }))
    const edited = await editing.edit({ _tag: "SetChoice", question: id, name, choice: cell, option, as })
    setPicked(({ doing, picked }) => ({ doing: doing - 1, picked: edited ? picked : {} }))
  }
  const nameOf = optionNamer(options)
  const named = options.map((option) => ({ ...option, name: nameOf(option) }))
  const isFew = options.length * Math.min(all.size, cellsShown) <= mostOptions
  const likely = [...all].flatMap(([cell, one]) =>
    one.likely === undefined || isSet(cell) ? [] : [[cell, one.likely] as const]
  )
  const acceptLikely = async () => {
    for (const [cell, option] of likely) await set(cell, option)
  }
  return (
    <>
      {table(
        t.choices,
        [t.choices, numbers(t.times), t.option],
        [...all].slice(0, cellsShown).map(([cell, one]): TableRow => {
          const isOpen = !isSet(cell)
          const answer = values[cell]
          const chosen = isOpen ? undefined : named.find(({ name, value }) => answer === name || answer === value)
          const shown = isFew || focused === cell ? named : chosen ? [chosen] : []
          return [
            cell,
            asCell(cell),
            one.count === undefined ? "" : count(one.count),
            <select
              aria-label={t.optionFor(cell)}
              class={isOpen ? "warn" : ""}
              value={isOpen ? "" : answer === null ? "null" : `=${chosen?.name}`}
              onFocus={() => setFocused(cell)}
              onMouseDown={() => setFocused(cell)}
              onChange={({ currentTarget: { value } }) =>
                value !== "" && set(cell, value === "null" ? null : value.slice(1))}
            >
              {isOpen && choice("", one.likely === undefined ? general.choose : t.likely(one.likely))}
              {shown.map((one) => choice(`=${one.name}`, optionTitle(one, one.name)))}
              {choice("null", t.noAnswer)}
            </select>,
          ]
        }),
        all.size,
      )}
      {counted?.more === true && <p class="soft small">{t.moreChoices}</p>}
      {likely.length > 0 && <p class="acts">{act(t.allLikely(likely.length), acceptLikely)}</p>}
    </>
  )
}

/** What is known about a column, and what can be done with it. */
const ColumnDetail = ({ bench, column }: Readonly<{ bench: Bench; column: SurveyedColumn }>) => {
  const { editing: { edit }, select, state, survey } = bench
  const { block, label, name = "", position, role, samples, traps } = column
  const whole = block === undefined ? [column] : survey.columns.filter((one) => one.block === block)
  const open = (question: string) => select({ question, columns: whole.map((one) => one.position) })
  return (
    <>
      <p class="small">{t.facts(column)}</p>
      {[label, role].map((text) => text !== undefined && <p key={text} class="soft small">{safe(text)}</p>)}
      {traps.map(({ code, examples, message }) => (
        <div key={code} class="trap">{safe(message)} {asCell(examples.slice(0, 5))}</div>
      ))}
      {table(
        t.cell,
        [t.cell, numbers(t.times)],
        samples.map(({ label, text, times }) => [text, asCell(label ?? text), count(times)]),
      )}
      {pick(t.answers, "", open, survey.questions.map(({ id, name }) => [id, name]))}
      <p class="acts">
        {name !== "" && state.unused.includes(position)
          && act(t.ignore, () => edit({ _tag: "IgnoreColumn", column: name }))}
      </p>
    </>
  )
}

/** What a person must still decide about the whole pipeline. */
const Undecided = (bench: Bench) => {
  const { editing: { edit }, select, state, survey } = bench
  const [key, setKey] = useState<ReadonlyArray<string>>()
  const open = survey.questions.flatMap(({ id, name }) => {
    const said = state.questions.find((one) => one.id === id)
    return isUndecided(said) ? [{ id, name, ...standing(said) }] : []
  })
  const unmatched = survey.questions.flatMap(({ id, name }) => {
    const cells = bench.editing.unmatched.get(id)
    return cells === undefined ? [] : [{ id, name, title: t.unmatched(cells) }]
  })
  const list = (title: string, all: typeof unmatched) =>
    all.length > 0 && [
      <h3 key={1}>{title}</h3>,
      <ul key={2} class="plain">
        {all.slice(0, 50).map(({ id, name, title }) => (
          <li key={id}>{act(safe(name), () => select({ question: id }), { link: true })} {title}</li>
        ))}
      </ul>,
      more(all.length - 50),
    ]
  const wrong = state.diagnostics.filter(({ severity }) => severity === "error")
  const left = [open, unmatched, state.proposals, state.openTimes, state.failures, wrong]
  return (
    <>
      {left.every(({ length }) => length === 0) && state.rowKey !== "open" && <p>{t.nothingOpen}</p>}
      {state.failures.map((text) => <p key={text} class="bad-text">{safe(text)}</p>)}
      {state.rowKey === "open" && (
        <fieldset>
          <legend>{t.rowKey}</legend>
          <p class="soft small">{t.rowKeyWhy}</p>
          {[...survey.rowKeys, { columns: [], because: t.contentWhy }].map(({ because, columns }) =>
            option("row-key", columns.join("\n"), key?.join("\n") === columns.join("\n"), () => setKey(columns), [
              <strong key={1}>{columns.length === 0 ? t.content : safe(columns.join(", "))}</strong>,
              <span key={2} class="sample soft">{because}</span>,
            ])
          )}
          {act(t.setKey, () => edit({ _tag: "SetRowKey", columns: key ?? [] }), { off: key === undefined })}
        </fieldset>
      )}
      {state.proposals.map(({ key, value }) => (
        <fieldset key={key}>
          <legend>{t.proposals[key]}</legend>
          <p>{asCell(value)}</p>
          {act(t.accept, () => edit({ _tag: "AcceptProposal", key }))}{" "}
          {act(t.reject, () => edit({ _tag: "RejectProposal", key }))}
        </fieldset>
      ))}
      {state.openTimes.map((of) => <TimeDecision key={of} bench={bench} of={of} />)}
      {list(t.openQuestions(open.length), open)}
      {list(t.choices, unmatched)}
    </>
  )
}

/** A time of the submission that can't be read without a person's decision. */
const TimeDecision = ({ bench, of }: Readonly<{ bench: Bench; of: OwnTime }>) => {
  const [answers, setAnswers] = useState<Answers>({})
  const operation = { _tag: "MapTime", of, answers } as const
  const looked = useLook(bench, operation)
  return (
    <fieldset>
      <legend>{t[of]}</legend>
      {asking(of, looked.answer?.entry?.asks, answers, setAnswers)}
      <Problem failed={looked.failed} />
      {act(t.useTime, () => bench.editing.edit(operation))}
    </fieldset>
  )
}

/** Shows what is selected on the board, or what is open if nothing is. */
export const Detail = (bench: Bench) => {
  const { select, selected, state, survey } = bench
  const question = survey.questions.find(({ id }) => id === selected.question)
  const column = survey.columns.find(({ position }) => position === selected.column)
  const said = state.questions.find(({ id }) => id === question?.id)
  const title = question?.name ?? column?.title
  useEffect(() => {
    if (title !== undefined) document.getElementById("detail-title")?.focus()
  }, [title])
  const close = () => {
    document.querySelector<HTMLElement>(".board .pick[aria-pressed=true]")?.focus()
    select({})
  }
  // A question is drawn from scratch if its columns change.
  const key = `${question?.id} ${said?.state} ${said?.from.join()}`
  return (
    <section id="detail" aria-labelledby="detail-title">
      <div class="head">
        <h2 id="detail-title" tabIndex={-1}>{safe(title ?? t.openTitle)}</h2>
        {title !== undefined && act(general.close, close)}
      </div>
      {question !== undefined && <QuestionDetail key={key} bench={bench} question={question} said={said} />}
      {column !== undefined && <ColumnDetail key={column.position} bench={bench} column={column} />}
      {title === undefined && <Undecided {...bench} />}
    </section>
  )
}
