import { useEffect, useState } from "preact/hooks"
import type { Ask, Counts, DraftState, Operation, QuestionState, Survey, SurveyedColumn } from "../Api.ts"
import { itemsOf, standing } from "./Board.tsx"
import type { Selection, SurveyedQuestion } from "./Board.tsx"
import { call } from "./call.ts"
import type { Editing } from "./draft.ts"
import { Badge, Name, Problem, useAnswer, Value } from "./parts.tsx"
import { count, detail as t, general, percent } from "./strings.ts"

type Edit = (operation: Operation) => Promise<unknown>

/** Shows answers to choose from, with what each reads from a few cells. */
const Asks = (
  { asks, answers, answer }: {
    readonly asks: ReadonlyArray<Ask>
    readonly answers: Readonly<Record<string, string>>
    readonly answer: (key: string, value: string) => void
  },
) => (
  <>
    {asks.map((ask) => (
      <fieldset key={ask.key}>
        <legend>{t.ask(ask.key)}</legend>
        <p class="soft small">{ask.why}</p>
        {ask.choices.map(({ samples, value }) => (
          <label key={value} class="option">
            <input
              type="radio"
              name={`ask-${ask.key}`}
              checked={answers[ask.key] === value}
              onChange={() => answer(ask.key, value)}
            />
            <span>
              <code>{value}</code>
              {samples.map((sample) => (
                <span key={sample.cell} class="sample"><Value of={sample.cell} /> → <Value of={sample.value} /></span>
              ))}
            </span>
          </label>
        ))}
        {ask.choices.length === 0 && (
          <input
            aria-label={t.ask(ask.key)}
            value={answers[ask.key] ?? ""}
            onChange={({ currentTarget }) => answer(ask.key, currentTarget.value)}
          />
        )}
      </fieldset>
    ))}
  </>
)

/** A list of all columns, blocks first as a whole. */
const ColumnOptions = ({ columns }: { readonly columns: ReadonlyArray<SurveyedColumn> }) => (
  <>
    {itemsOf(columns).flatMap((item) => [
      <option key={item.key} value={item.columns.map(({ position }) => position).join()}>
        {item.columns.length > 1 ? t.block(item.title, item.columns.length) : item.title}
      </option>,
      ...item.columns.length < 2 ? [] : item.columns.map((column) => (
        <option key={column.position} value={column.position}>{`  ${column.option ?? column.title}`}</option>
      )),
    ])}
  </>
)

const positions = (text: string): ReadonlyArray<number> => text === "" ? [] : text.split(",").map(Number)

/** What is known about a question, what may answer it, and what is open about its entry. */
const QuestionDetail = (
  { editing, question, said, survey }: {
    readonly editing: Editing
    readonly question: SurveyedQuestion
    readonly said: QuestionState | undefined
    readonly survey: Survey
  },
) => {
  const text = editing.draft?.text ?? ""
  const mapped = said?.state === "mapped" ? said.from.join() : ""
  const [columns, setColumns] = useState(mapped || question.candidates[0]?.columns.join() || "")
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({})
  const operation = { _tag: "Map", question: question.id, columns: positions(columns), answers } as const
  // Only the entry is looked at. The text stays until someone accepts it.
  const looked = useAnswer(
    (signal) => columns === "" ? undefined : call("draft", "edit", { pipeline: editing.pipeline, text, operation }, signal),
    [columns, answers, mapped, question.id],
  )
  const { entry } = looked.answer ?? {}
  const isOther = question.candidates.every((one) => one.columns.join() !== columns)
  const isNew = columns !== mapped || Object.keys(answers).length > 0
  const { title, tone } = standing(said)
  return (
    <>
      <p>
        <Badge tone={tone}>{title}</Badge> <span class="kind">{entry?.kind ?? said?.as ?? question.type}</span>
        {said?.line !== undefined && <span class="soft small">{" "}{t.line(said.line)}</span>}
      </p>
      {question.options !== undefined && (
        <p class="small soft">{t.options}: <Name text={question.options.map(({ label }) => label).join(" · ")} /></p>
      )}
      <fieldset>
        <legend>{t.answeredBy}</legend>
        {question.candidates.map((one) => (
          <label key={one.columns.join()} class="option">
            <input
              type="radio"
              name="candidate"
              checked={columns === one.columns.join()}
              onChange={() => {
                setColumns(one.columns.join())
                setAnswers({})
              }}
            />
            <span>
              <strong><Name text={one.shown} /></strong> <span class="score">{percent(one.confidence)}</span>
              <span class="sample soft">{one.because.join(", ")}</span>
              <span class="sample">{one.cells.slice(0, 3).map((cell, index) => <Value key={index} of={cell} />)}</span>
            </span>
          </label>
        ))}
        <label class="other">
          {t.other}
          <select
            value={isOther ? columns : ""}
            onChange={({ currentTarget }) => {
              setColumns(currentTarget.value)
              setAnswers({})
            }}
          >
            <option value="">{t.choose}</option>
            <ColumnOptions columns={survey.columns} />
          </select>
        </label>
      </fieldset>
      {entry?.misfit !== undefined && <p class="warn-text" role="status">{entry.misfit}</p>}
      {entry?.open !== undefined && <p class="warn-text" role="status">{entry.open}</p>}
      <Asks
        asks={entry?.asks ?? []}
        answers={answers}
        answer={(key, value) => setAnswers((before) => ({ ...before, [key]: value }))}
      />
      <Problem failed={looked.failed} />
      <p class="acts">
        {said?.state === "mapped" && said.confidence !== undefined && !isNew && (
          <button type="button" class="main" onClick={() => editing.edit({ _tag: "Accept", question: question.id })}>
            {t.accept}
          </button>
        )}
        {columns !== "" && isNew && (
          <button type="button" class="main" onClick={() => editing.edit(operation)}>{t.use}</button>
        )}
        {said?.state === "mapped" && (
          <button type="button" onClick={() => editing.edit({ _tag: "Unmap", question: question.id })}>{t.unmap}</button>
        )}
        {said?.state !== "unanswered" && (
          <button type="button" onClick={() => editing.edit({ _tag: "LeaveUnanswered", question: question.id })}>
            {t.leave}
          </button>
        )}
      </p>
      {mapped !== "" && (
        <Choices
          question={question}
          said={said}
          open={entry?.choices ?? []}
          more={editing.counts.answer?.choices.filter((one) => one.question === question.id) ?? []}
          edit={editing.edit}
        />
      )}
    </>
  )
}

/** Matches each cell that is not an option with one. */
const Choices = (
  { edit, more, open, question, said }: {
    readonly edit: Edit
    readonly question: SurveyedQuestion
    readonly said: QuestionState | undefined
    readonly open: ReadonlyArray<{ readonly choice: string; readonly count: number; readonly likely?: string | undefined }>
    readonly more: Counts["choices"]
  },
) => {
  const { options } = question
  const values = said?.values ?? {}
  const all = new Map<string, { readonly count?: number; readonly likely?: string | undefined }>()
  for (const choice of Object.keys(values)) all.set(choice, {})
  for (const { choices } of more) for (const { choice, count } of choices) all.set(choice, { count })
  for (const { choice, ...rest } of open) all.set(choice, rest)
  if (all.size === 0 || options === undefined) return null
  const set = (choice: string, option: string | null) =>
    edit({ _tag: "SetChoice", question: question.id, choice, option })
  const labelOf = (answer: unknown) => options.find(({ label, value }) => answer === label || answer === value)?.label
  const likely = [...all].flatMap(([choice, { likely }]) =>
    likely === undefined || choice in values ? [] : [[choice, likely] as const]
  )
  return (
    <fieldset>
      <legend>{t.choices}</legend>
      <table>
        <thead>
          <tr>
            <th scope="col">{t.cell}</th>
            <th scope="col" class="number">{t.times}</th>
            <th scope="col">{t.option}</th>
          </tr>
        </thead>
        <tbody>
          {[...all].slice(0, 200).map(([choice, { count: times, likely }]) => (
            <tr key={choice}>
              <td><Value of={choice} /></td>
              <td class="number">{times === undefined ? "" : count(times)}</td>
              <td>
                <select
                  aria-label={t.optionFor(choice)}
                  class={choice in values ? "" : "open"}
                  value={choice in values ? values[choice] === null ? "null" : `=${labelOf(values[choice])}` : ""}
                  onChange={({ currentTarget: { value } }) =>
                    value !== "" && set(choice, value === "null" ? null : value.slice(1))}
                >
                  {!(choice in values) && <option value="">{likely === undefined ? t.open : t.likely(likely)}</option>}
                  {options.map(({ label }) => <option key={label} value={`=${label}`}>{label}</option>)}
                  <option value="null">{t.noAnswer}</option>
                </select>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {likely.length > 0 && (
        <p class="acts">
          <button
            type="button"
            onClick={async () => {
              for (const [choice, option] of likely) await set(choice, option)
            }}
          >
            {t.allLikely(likely.length)}
          </button>
        </p>
      )}
    </fieldset>
  )
}

/** What is known about a column, and what can be done with it. */
const ColumnDetail = (
  { column, columns, editing, select, state, survey }: {
    readonly column: SurveyedColumn
    /** The column, or all columns of its block. */
    readonly columns: ReadonlyArray<SurveyedColumn>
    readonly editing: Editing
    readonly select: (selection: Selection) => void
    readonly state: DraftState | undefined
    readonly survey: Survey
  },
) => {
  const [question, setQuestion] = useState("")
  return (
    <>
      <p class="small">
        <span class="kind">{column.kind}</span> {t.share(column.share)} · {t.fill(column.fill)} ·{" "}
        {t.distinct(column.distinct.count, column.distinct.exact)}
        {column.unique === true && ` · ${t.unique}`}
        {column.role !== undefined && ` · ${column.role}`}
      </p>
      {column.label !== undefined && <p class="soft small"><Name text={column.label} /></p>}
      {column.traps.map((trap) => (
        <div key={trap.code} class="trap">
          <p>{trap.message}</p>
          <p>{trap.examples.slice(0, 5).map((example, index) => <Value key={index} of={example} />)}</p>
        </div>
      ))}
      <table>
        <thead>
          <tr>
            <th scope="col">{t.cell}</th>
            <th scope="col" class="number">{t.times}</th>
          </tr>
        </thead>
        <tbody>
          {column.samples.map((sample) => (
            <tr key={sample.text}>
              <td><Value of={sample.label === undefined ? sample.text : `${sample.text}: ${sample.label}`} /></td>
              <td class="number">{count(sample.times)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="acts">
        <label class="other">
          {t.answers}
          <select value={question} onChange={({ currentTarget }) => setQuestion(currentTarget.value)}>
            <option value="">{t.choose}</option>
            {survey.questions.map((one) => <option key={one.id} value={one.id}>{one.name}</option>)}
          </select>
        </label>
        {[columns, ...columns.length > 1 ? [[column]] : []].map((those) => (
          <button
            key={those.length}
            type="button"
            disabled={question === ""}
            onClick={async () => {
              await editing.edit({
                _tag: "Map",
                question,
                columns: those.map(({ position }) => position),
                answers: {},
              })
              select({ question })
            }}
          >
            {those.length > 1 ? t.mapBlock(those.length) : t.map}
          </button>
        ))}
        {column.name !== undefined && state?.unused.includes(column.position) === true && (
          <button type="button" onClick={() => editing.edit({ _tag: "IgnoreColumn", column: column.name ?? "" })}>
            {t.ignore}
          </button>
        )}
      </p>
    </>
  )
}

/** What a person must still decide about the whole pipeline. */
const Open = (
  { editing, select, state, survey }: {
    readonly editing: Editing
    readonly select: (selection: Selection) => void
    readonly state: DraftState
    readonly survey: Survey
  },
) => {
  const [key, setKey] = useState("")
  const [times, setTimes] = useState<Readonly<Record<string, Readonly<Record<string, string>>>>>({})
  const open = state.questions.filter((one) => standing(one).tone === "warn")
  const nameOf = (id: string) => survey.questions.find((one) => one.id === id)?.name ?? id
  const isDone = open.length + state.proposals.length + state.openTimes.length === 0 && state.rowKey !== "open"
  return (
    <>
      {isDone && <p>{t.nothingOpen}</p>}
      {state.failures.map((failure) => <p key={failure} class="bad-text">{failure}</p>)}
      {state.rowKey === "open" && (
        <fieldset>
          <legend>{t.rowKey}</legend>
          <p class="soft small">{t.rowKeyWhy}</p>
          {[...survey.rowKeys, { columns: [], because: t.contentWhy }].map((one) => (
            <label key={one.columns.join("\n")} class="option">
              <input
                type="radio"
                name="row-key"
                checked={key === `=${one.columns.join("\n")}`}
                onChange={() => setKey(`=${one.columns.join("\n")}`)}
              />
              <span>
                <strong>{one.columns.length === 0 ? t.content : <Name text={one.columns.join(", ")} />}</strong>{" "}
                <span class="sample soft">{one.because}</span>
              </span>
            </label>
          ))}
          <button
            type="button"
            disabled={key === ""}
            onClick={() =>
              editing.edit({ _tag: "SetRowKey", columns: key.slice(1).split("\n").filter((name) => name !== "") })}
          >
            {t.setKey}
          </button>
        </fieldset>
      )}
      {state.proposals.map(({ key, value }) => (
        <fieldset key={key}>
          <legend>{t.proposals[key]}</legend>
          <p><Value of={value} /></p>
          <p class="acts">
            <button type="button" onClick={() => editing.edit({ _tag: "AcceptProposal", key })}>{t.accept}</button>
            <button type="button" onClick={() => editing.edit({ _tag: "RejectProposal", key })}>{t.reject}</button>
          </p>
        </fieldset>
      ))}
      {state.openTimes.map((of) => (
        <TimeAsk
          key={of}
          of={of}
          editing={editing}
          answers={times[of] ?? {}}
          answer={(name, value) => setTimes((before) => ({ ...before, [of]: { ...before[of], [name]: value } }))}
        />
      ))}
      {open.length > 0 && (
        <>
          <h3>{t.openQuestions(open.length)}</h3>
          <ul class="plain list">
            {open.slice(0, 50).map((one) => (
              <li key={one.id}>
                <button type="button" class="link" onClick={() => select({ question: one.id })}>
                  <Name text={nameOf(one.id)} />
                </button>{" "}
                <span class="soft">{standing(one).title}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}

/** A time of the submission that can't be read without a person's decision. */
const TimeAsk = (
  { answer, answers, editing, of }: {
    readonly of: "submissionTime" | "lastUpdatedAt"
    readonly editing: Editing
    readonly answers: Readonly<Record<string, string>>
    readonly answer: (key: string, value: string) => void
  },
) => {
  const operation = { _tag: "MapTime", of, answers } as const
  const { pipeline, draft } = editing
  const looked = useAnswer(
    (signal) => call("draft", "edit", { pipeline, text: draft?.text ?? "", operation }, signal),
    [answers],
  )
  return (
    <fieldset>
      <legend>{t.times_[of]}</legend>
      <Asks asks={looked.answer?.entry?.asks ?? []} answers={answers} answer={answer} />
      <Problem failed={looked.failed} />
      <button type="button" onClick={() => editing.edit(operation)}>{t.use}</button>
    </fieldset>
  )
}

/** Shows what is selected on the board, or what is open if nothing is. */
export const Detail = (
  { editing, select, selected, state, survey }: {
    readonly editing: Editing
    readonly select: (selection: Selection) => void
    readonly selected: Selection
    readonly state: DraftState | undefined
    readonly survey: Survey
  },
) => {
  const question = selected !== undefined && "question" in selected
    ? survey.questions.find((one) => one.id === selected.question)
    : undefined
  const column = selected !== undefined && "column" in selected
    ? survey.columns.find((one) => one.position === selected.column)
    : undefined
  const key = question?.id ?? column?.position ?? ""
  useEffect(() => {
    if (key !== "") document.getElementById("detail")?.querySelector("h2")?.focus()
  }, [key])
  return (
    <section id="detail" aria-labelledby="detail-title">
      <div class="head">
        <h2 id="detail-title" tabIndex={-1}>
          {question !== undefined
            ? <Name text={question.name} />
            : column !== undefined
            ? <Name text={column.title} />
            : t.openTitle}
        </h2>
        {selected !== undefined && (
          <button
            type="button"
            onClick={() => {
              document.querySelector<HTMLElement>(".board .pick[aria-pressed=true]")?.focus()
              select(undefined)
            }}
          >
            {general.close}
          </button>
        )}
      </div>
      {question !== undefined
        ? (
          <QuestionDetail
            key={question.id + (state?.questions.find(({ id }) => id === question.id)?.from.join() ?? "")}
            editing={editing}
            question={question}
            said={state?.questions.find(({ id }) => id === question.id)}
            survey={survey}
          />
        )
        : column !== undefined
        ? (
          <ColumnDetail
            key={column.position}
            column={column}
            columns={column.block === undefined ? [column] : survey.columns.filter(({ block }) => block === column.block)}
            editing={editing}
            select={select}
            state={state}
            survey={survey}
          />
        )
        : state !== undefined && <Open editing={editing} select={select} state={state} survey={survey} />}
    </section>
  )
}
