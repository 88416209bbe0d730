import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { count } from "../../domain/words.ts"
import type { Ask, Edited, QuestionState, SurveyedColumn } from "../Api.ts"
import { itemsOf, standing } from "./Board.tsx"
import type { SurveyedQuestion } from "./Board.tsx"
import { call } from "./call.ts"
import type { Bench } from "./draft.ts"
import { Act, asCell, badge, Option, Pick, Problem, safe, Table, useAnswer } from "./parts.tsx"
import { detail as t, general, percent } from "./strings.ts"

type Answers = Readonly<Record<string, string>>

/** Returns what an entry leaves open. Only looks: the text stays until someone uses the entry. */
const useLook = (
  { editing: { draft, pipeline } }: Bench,
  operation: Parameters<Bench["editing"]["edit"]>[0] | undefined,
) =>
  useAnswer(
    (signal) => operation && call("draft", "edit", { pipeline, text: draft?.text ?? "", operation }, signal),
    [JSON.stringify(operation)],
  )

type Asks = Readonly<{ of: ReadonlyArray<Ask> | undefined; answers: Answers; set: (answers: Answers) => void }>

/** Asks for what only a person can decide. Shows what each choice reads from a few cells. */
const Asks = ({ answers, of = [], set }: Asks) => (
  <>
    {of.map(({ choices, key, why }) => (
      <fieldset key={key}>
        <legend>{t.ask(key)}</legend>
        <p class="soft small">{safe(why)}</p>
        {choices.map(({ samples, value }) => (
          <Option
            key={value}
            name={key}
            on={answers[key] === value}
            set={() => set({ ...answers, [key]: value })}
          >
            <code>{value}</code>
            {samples.map((one) => <span key={one.cell} class="sample">{asCell(one.cell)} → {asCell(one.value)}</span>)}
          </Option>
        ))}
        {choices.length === 0 && (
          <input
            aria-label={t.ask(key)}
            value={answers[key] ?? ""}
            onChange={({ currentTarget }) => set({ ...answers, [key]: currentTarget.value })}
          />
        )}
      </fieldset>
    ))}
  </>
)

type OfQuestion = Readonly<{ bench: Bench; question: SurveyedQuestion; said: QuestionState | undefined }>

/** What is known about a question, what may answer it, and what is open about its entry. */
const QuestionDetail = ({ bench, question: { candidates, id, options, type }, question, said }: OfQuestion) => {
  const { editing: { edit }, survey } = bench
  const mapped = said?.state === "mapped" ? said.from.join() : ""
  const [columns, setColumns] = useState(mapped || candidates[0]?.columns.join() || "")
  const [answers, setAnswers] = useState<Answers>({})
  const map = { _tag: "Map", question: id, columns: columns.split(",").map(Number), answers } as const
  const looked = useLook(bench, columns === "" ? undefined : map)
  const entry = looked.answer?.entry
  const choose = (next: string) => {
    setColumns(next)
    setAnswers({})
  }
  const isNew = columns !== mapped || Object.keys(answers).length > 0
  return (
    <>
      <p>
        {badge(standing(said))} <span class="kind">{entry?.kind ?? said?.as ?? type}</span>{" "}
        {said?.line !== undefined && <span class="soft small">{t.line(said.line)}</span>}
      </p>
      {options !== undefined && <p class="small soft">{safe(t.options(options.map(({ label }) => label)))}</p>}
      <fieldset>
        <legend>{t.answeredBy}</legend>
        {candidates.map((one) => (
          <Option
            key={one.columns.join()}
            name="candidate"
            on={columns === one.columns.join()}
            set={() => choose(one.columns.join())}
          >
            <strong>{safe(one.shown)}</strong> <span class="score">{percent(one.confidence)}</span>
            <span class="sample soft">{one.because.join(", ")}</span>
            <span class="sample">{asCell(one.cells.slice(0, 3))}</span>
          </Option>
        ))}
        <Pick
          label={t.other}
          value={candidates.every((one) => one.columns.join() !== columns)
            ? columns
            : ""}
          set={choose}
        >
          <option value="">{t.choose}</option>
          {itemsOf(survey.columns).flatMap((item) => [
            <option key={item.columns[0]?.position} value={item.columns.map(({ position }) => position).join()}>
              {item.columns.length > 1 ? t.block(item.title, item.columns.length) : item.title}
            </option>,
            ...item.columns.length < 2
              ? []
              : item.columns.map(({ option, position, title }) => (
                <option key={`${position} alone`} value={position}>{`– ${option ?? title}`}</option>
              )),
          ])}
        </Pick>
      </fieldset>
      {[entry?.misfit, entry?.open].map((text) =>
        text !== undefined && <p key={text} class="warn-text">{safe(text)}</p>
      )}
      <Asks of={entry?.asks} answers={answers} set={setAnswers} />
      <Problem failed={looked.failed} />
      <p class="acts">
        {mapped !== "" && said?.confidence !== undefined && !isNew && (
          <Act
            main
            go={() => edit({ _tag: "Accept", question: id })}
          >
            {t.accept}
          </Act>
        )}
        {columns !== "" && isNew && <Act main go={() => edit(map)}>{t.use}</Act>}
        {mapped !== "" && <Act go={() => edit({ _tag: "Unmap", question: id })}>{t.unmap}</Act>}
        {said?.state !== "unanswered" && <Act go={() => edit({ _tag: "LeaveUnanswered", question: id })}>{t.leave}
        </Act>}
      </p>
      {mapped !== "" && <Choices bench={bench} question={question} said={said} open={entry?.choices ?? []} />}
    </>
  )
}

type Open = NonNullable<Edited["entry"]>["choices"]

/** Matches each cell that is not an option with one. */
const Choices = (
  { bench: { editing }, open, question: { id, options }, said }: OfQuestion & Readonly<{ open: Open }>,
) => {
  const values = said?.values ?? {}
  const all = new Map<string, { readonly count?: number; readonly likely?: string | undefined }>()
  for (const choice of Object.keys(values)) all.set(choice, {})
  for (const { choices, question } of editing.counts.answer?.choices ?? []) {
    if (question === id) { for (const { choice, ...rest } of choices) all.set(choice, rest) }
  }
  for (const { choice, ...rest } of open) all.set(choice, rest)
  if (all.size === 0 || options === undefined) return null
  const set = (choice: string, option: string | null) =>
    editing.edit({ _tag: "SetChoice", question: id, choice, option })
  const shown = (answer: unknown) =>
    answer === null ? "null" : `=${options.find(({ label, value }) => answer === label || answer === value)?.label}`
  const likely = [...all].flatMap(([choice, one]) =>
    one.likely === undefined || choice in values ? [] : [[choice, one.likely] as const]
  )
  return (
    <>
      <Table
        label={t.choices}
        head={[t.choices, `#${t.times}`, t.option]}
        rows={[...all].slice(0, 200).map(([choice, one]) => [
          choice,
          asCell(choice),
          one.count === undefined ? "" : count(one.count),
          <select
            aria-label={t.optionFor(choice)}
            class={choice in values ? "" : "open"}
            value={choice in values ? shown(values[choice]) : ""}
            onChange={({ currentTarget: { value } }) =>
              value !== "" && set(choice, value === "null" ? null : value.slice(1))}
          >
            {!(choice in values) && (
              <option value="">{one.likely === undefined ? t.choose : t.likely(one.likely)}</option>
            )}
            {options.map(({ label }) => <option key={label} value={`=${label}`}>{label}</option>)}
            <option value="null">{t.noAnswer}</option>
          </select>,
        ])}
      />
      {likely.length > 0 && (
        <p class="acts">
          <Act
            go={async () => {
              for (const [choice, option] of likely) await set(choice, option)
            }}
          >
            {t.allLikely(likely.length)}
          </Act>
        </p>
      )}
    </>
  )
}

/** What is known about a column, and what can be done with it. */
const ColumnDetail = (
  { bench: { editing, select, state, survey }, column }: Readonly<{ bench: Bench; column: SurveyedColumn }>,
) => {
  const [question, setQuestion] = useState("")
  const { block, label, name, position, role, samples, traps } = column
  const whole = survey.columns.filter((one) => block !== undefined && one.block === block)
  const map = async (columns: ReadonlyArray<SurveyedColumn>) => {
    await editing.edit({ _tag: "Map", question, columns: columns.map((one) => one.position), answers: {} })
    select({ question })
  }
  return (
    <>
      <p class="small">{t.facts(column)}</p>
      {[label, role].map((text) => text !== undefined && <p key={text} class="soft small">{safe(text)}</p>)}
      {traps.map(({ code, examples, message }) => (
        <div key={code} class="trap">{safe(message)} {asCell(examples.slice(0, 5))}</div>
      ))}
      <Table
        label={t.cell}
        head={[t.cell, `#${t.times}`]}
        rows={samples.map((
          { label, text, times },
        ) => [text, asCell(label === undefined ? text : `${text}: ${label}`), count(times)])}
      />
      <Pick label={t.answers} value={question} set={setQuestion}>
        <option value="">{t.choose}</option>
        {survey.questions.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
      </Pick>
      <p class="acts">
        {whole.length > 1 && <Act main off={question === ""} go={() => map(whole)}>{t.mapBlock(whole.length)}</Act>}
        <Act main={whole.length < 2} off={question === ""} go={() => map([column])}>{t.map}</Act>
        {name !== undefined && state?.unused.includes(position) === true && (
          <Act go={() => editing.edit({ _tag: "IgnoreColumn", column: name })}>{t.ignore}</Act>
        )}
      </p>
    </>
  )
}

/** What a person must still decide about the whole pipeline. */
const Undecided = (bench: Bench) => {
  const { editing: { edit }, select, state, survey } = bench
  const [key, setKey] = useState<ReadonlyArray<string>>()
  if (state === undefined) return null
  const open = survey.questions.flatMap(({ id, name }) => {
    const said = state.questions.find((one) => one.id === id)
    return standing(said).tone === "warn" ? [{ id, name, ...standing(said) }] : []
  })
  const isDone = open.length + state.proposals.length + state.openTimes.length === 0 && state.rowKey !== "open"
  return (
    <>
      {isDone && <p>{t.nothingOpen}</p>}
      {state.failures.map((text) => <p key={text} class="bad-text">{safe(text)}</p>)}
      {state.rowKey === "open" && (
        <fieldset>
          <legend>{t.rowKey}</legend>
          <p class="soft small">{t.rowKeyWhy}</p>
          {[...survey.rowKeys, { columns: [], because: t.contentWhy }].map(({ because, columns }) => (
            <Option
              key={columns.join("\n")}
              name="row-key"
              on={key?.join("\n") === columns.join("\n")}
              set={() => setKey(columns)}
            >
              <strong>{columns.length === 0 ? t.content : safe(columns.join(", "))}</strong>
              <span class="sample soft">{because}</span>
            </Option>
          ))}
          <Act off={key === undefined} go={() => edit({ _tag: "SetRowKey", columns: key ?? [] })}>{t.setKey}</Act>
        </fieldset>
      )}
      {state.proposals.map(({ key, value }) => (
        <fieldset key={key}>
          <legend>{t.proposals[key]}</legend>
          <p>{asCell(value)}</p>
          <p class="acts">
            <Act go={() => edit({ _tag: "AcceptProposal", key })}>{t.accept}</Act>
            <Act go={() => edit({ _tag: "RejectProposal", key })}>{t.reject}</Act>
          </p>
        </fieldset>
      ))}
      {state.openTimes.map((of) => <TimeDecision key={of} bench={bench} of={of} />)}
      {open.length > 0 && <h3>{t.openQuestions(open.length)}</h3>}
      <ul class="plain">
        {open.slice(0, 50).map(({ id, name, title }) => (
          <li key={id}>
            <button type="button" class="link" onClick={() => select({ question: id })}>
              {safe(name)}
            </button>{" "}
            <span class="soft">{title}</span>
          </li>
        ))}
      </ul>
    </>
  )
}

/** A time of the submission that can't be read without a person's decision. */
const TimeDecision = ({ bench, of }: Readonly<{ bench: Bench; of: "submissionTime" | "lastUpdatedAt" }>) => {
  const [answers, setAnswers] = useState<Answers>({})
  const operation = { _tag: "MapTime", of, answers } as const
  const looked = useLook(bench, operation)
  return (
    <fieldset>
      <legend>{t[of]}</legend>
      <Asks of={looked.answer?.entry?.asks} answers={answers} set={setAnswers} />
      <Problem failed={looked.failed} />
      <p class="acts">
        <Act go={() => bench.editing.edit(operation)}>{t.useTime}</Act>
      </p>
    </fieldset>
  )
}

/** Shows what is selected on the board, or what is open if nothing is. */
export const Detail = (bench: Bench) => {
  const { select, selected = {}, state, survey } = bench
  const question = "question" in selected ? survey.questions.find(({ id }) => id === selected.question) : undefined
  const column = "column" in selected ? survey.columns.find(({ position }) => position === selected.column) : undefined
  const said = state?.questions.find(({ id }) => id === question?.id)
  const title = question?.name ?? column?.title
  useEffect(() => {
    if (title !== undefined) document.getElementById("detail-title")?.focus()
  }, [title])
  const close = () => {
    document.querySelector<HTMLElement>(".board .pick[aria-pressed=true]")?.focus()
    select(undefined)
  }
  const shown: ComponentChildren = question !== undefined
    // The entry is shown anew if its columns change.
    ? (
      <QuestionDetail
        key={`${question.id} ${said?.state} ${said?.from.join()}`}
        bench={bench}
        question={question}
        said={said}
      />
    )
    : column !== undefined
    ? <ColumnDetail key={column.position} bench={bench} column={column} />
    : <Undecided {...bench} />
  return (
    <section id="detail" aria-labelledby="detail-title">
      <div class="head">
        <h2 id="detail-title" tabIndex={-1}>{safe(title ?? t.openTitle)}</h2>
        {title !== undefined && <Act go={close}>{general.close}</Act>}
      </div>
      {shown}
    </section>
  )
}
