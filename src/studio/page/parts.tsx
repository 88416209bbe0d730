import type { ComponentChildren, JSX, RefObject } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import { cut } from "../../domain/problem.ts"
import { visible } from "../../domain/visible.ts"
import { count, type Tone } from "../../domain/words.ts"
import type { Home } from "../Api.ts"
import type { Failed } from "./call.ts"
import { general } from "./strings.ts"

// What several views are made of.

/** Shows a name or sentence of unknown origin. */
export const safe = (text: string) => <bdi>{visible(cut(text, 1000))}</bdi>

/** Shows a cell or an answer. */
export const asCell = (of: unknown): JSX.Element => {
  if (of === undefined || of === null || of === "") return <span class="soft">{general.empty}</span>
  if (Array.isArray(of)) return <>{of.map((one, index) => <span key={index} class="cell">{asCell(one)}</span>)}</>
  return <code>{safe(typeof of === "string" ? of : JSON.stringify(of))}</code>
}

/** A word, and how good or bad it is. */
export type Word = Readonly<{ title: string; tone: Tone }>

export const badge = ({ title, tone }: Word) => <span class={`badge ${tone}`}>{title}</span>

/** Shows something that a person should look at. */
export const warning = (text: string | undefined) =>
  text !== undefined && <p key={text} class="warn-text">{safe(text)}</p>

type Act = Readonly<{ main?: boolean; link?: boolean; off?: boolean; label?: string; tab?: number }>

export const act = (text: ComponentChildren, go: () => unknown, { label, link, main, off, tab }: Act = {}) => (
  <button
    type="button"
    class={main === true ? "main" : link === true ? "link" : ""}
    disabled={off}
    aria-label={label}
    tabIndex={tab}
    onClick={go}
  >
    {text}
  </button>
)

export const check = (label: string, on: boolean, set: (on: boolean) => void) => (
  <label class="check">
    <input type="checkbox" checked={on} onChange={({ currentTarget }) => set(currentTarget.checked)} /> {label}
  </label>
)

export const input = (label: string, value: string, set: (text: string) => void) => (
  <label>
    {label} <input value={value} autocomplete="off" onInput={({ currentTarget }) => set(currentTarget.value)} />
  </label>
)

export const pick = (label: string, value: string, set: (value: string) => void, options: ComponentChildren) => (
  <label>
    {label} <select value={value} onChange={({ currentTarget }) => set(currentTarget.value)}>{options}</select>
  </label>
)

export type Targets = Home["pipelines"][number]["targets"]

/** Lets someone choose one of a pipeline's targets, if it has several. */
export const pickTarget = (targets: Targets, to: string | undefined, set: (to: string) => void) =>
  targets.length > 0 && (
    <div class="fields">
      {pick(general.target, to ?? "", set, [
        to === undefined && <option key="" value="">{general.choose}</option>,
        ...targets.map(({ form, service, to }) => <option key={to} value={to}>{`${to} (${form}, ${service})`}</option>),
      ])}
    </div>
  )

/** One of several things to choose from, with what is known about it. */
export const option = (name: string, key: string, isChosen: boolean, set: () => void, about: ComponentChildren) => (
  <label class="option" key={key}>
    <input type="radio" name={name} checked={isChosen} onChange={set} />
    <span>{about}</span>
  </label>
)

/** Shows the command to run next. */
export const nextCommand = (next: string | null | undefined) =>
  next != null && <p class="next">{general.next} {asCell(next)}</p>

type Section = Readonly<
  { title: string; word?: Word | false; isToned?: boolean; id?: string; children?: ComponentChildren }
>

/** A titled part of a view. A word names the state, and colours the part's edge if `isToned` is true. */
export const Section = ({ children, id, isToned, title, word }: Section) => {
  const heading = useId()
  return (
    <section aria-labelledby={heading} id={id} class={isToned === true && word ? `toned ${word.tone}` : ""}>
      <div class="head">
        <h2 id={heading}>{safe(title)}</h2>
        {word && badge(word)}
      </div>
      {children}
    </section>
  )
}

/** A table's cells, after the row's key. */
export type TableRow = readonly [key: string | number, ...cells: ReadonlyArray<ComponentChildren>]

/** Says how many things of a list are not shown. */
export const more = (count: number) => count > 0 && <p class="soft small">{general.more(count)}</p>

/**
 * A table in a box that scrolls sideways if it must. Columns whose title starts with `#` contain numbers.
 *
 * @param all the number of rows, including those that are not shown
 */
export const table = (
  label: string,
  head: ReadonlyArray<string>,
  rows: ReadonlyArray<TableRow>,
  all = rows.length,
) => {
  const side = (at: number) => head[at]?.startsWith("#") === true ? "number" : ""
  const titles = head.map((title) => visible(cut(title.replace("#", ""), 1000)))
  // On a narrow screen, rows are shown as lists, but stay a table for screen readers.
  const row = ([key, ...cells]: TableRow) => (
    <tr key={key} role="row">
      {cells.map((cell, at) => <td key={at} role="cell" class={side(at)} data-title={titles[at]}>{cell}</td>)}
    </tr>
  )
  return (
    <div class="wide" tabIndex={0} role="group" aria-label={label}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {titles.map((title, at) => <th key={at} role="columnheader" class={side(at)}>{safe(title)}</th>)}
          </tr>
        </thead>
        <tbody role="rowgroup">{rows.map(row)}</tbody>
      </table>
      {more(all - rows.length)}
    </div>
  )
}

type Share = Word & Readonly<{ count: number }>

/** Joins counts with their words, in the order of the words. */
export const wordsWith = <K extends string>(
  words: { readonly [N in K]: Word },
  counts: { readonly [N in NoInfer<K>]: number } | undefined,
): ReadonlyArray<Share> => Object.entries<Word>(words).map(([of, word]) => ({ ...word, count: counts?.[of as K] ?? 0 }))

/** Shows adjacent shares of a total. */
const Shares = ({ of }: Readonly<{ of: ReadonlyArray<Share> }>) => {
  const some = of.filter((share) => share.count > 0)
  const all = some.reduce((sum, share) => sum + share.count, 0)
  const said = some.map((share) => `${share.title} ${count(share.count)}`).join(", ")
  let start = 0
  return (
    <svg class="shares" viewBox="0 0 1000 9" preserveAspectRatio="none" role="img" aria-label={said || general.nothing}>
      <rect class="track" width="1000" height="9" />
      {some.map((share) => {
        const x = start
        start += (share.count / all) * 1000
        return <rect key={share.title} class={share.tone} x={x} width={Math.max(start - x - 2, 1)} height="9" />
      })}
    </svg>
  )
}

type Figure = Readonly<{ title: string; count: number | undefined; tone?: Tone }>

type Look = Readonly<{ label?: string; size?: "large"; shares?: ReadonlyArray<Share> }>

/** Shows counts with their names, and the shares of a total below. A number with a tone is coloured unless it is 0. */
export const figures = (of: ReadonlyArray<Figure>, { label, shares, size }: Look = {}) => (
  <>
    <dl class={`figures ${size ?? ""}`} aria-label={label}>
      {of.map((one) => (
        <div key={one.title}>
          <dt>{one.title}</dt>
          <dd class={one.count === 0 ? "" : `${one.tone}-text`}>{one.count === undefined ? "…" : count(one.count)}</dd>
        </div>
      ))}
    </dl>
    {shares && <Shares of={shares} />}
  </>
)

/** Shows why a call failed. */
export const Problem = ({ failed }: Readonly<{ failed: Failed | undefined }>) =>
  failed === undefined ? null : (
    <div class="problem" role="alert">
      <p>{safe(failed.message)}</p>
      <Diagnostics of={failed.diagnostics} />
    </div>
  )

/** Shows mistakes in configuration files. */
export const Diagnostics = ({ label, of = [] }: Readonly<{ of?: Failed["diagnostics"]; label?: string }>) => {
  const shown = of.toSorted((a, b) => a.severity.localeCompare(b.severity)).slice(0, 100)
  return (
    <>
      <ul
        class="plain diagnostics"
        aria-label={label}
        tabIndex={label === undefined || of.length === 0 ? undefined : 0}
      >
        {shown.map(({ file, line, message, severity, suggestion = "" }, index) => (
          <li key={index}>{badge(general[severity])} {safe(`${file}:${line}`)} {safe(`${message} ${suggestion}`)}</li>
        ))}
      </ul>
      {more(of.length - shown.length)}
    </>
  )
}

type Drop = Readonly<{ label: string; hint: string; busy: boolean; take: (file: File) => void }>

/** Lets someone drop or choose a file. */
export const Drop = ({ busy, hint, label, take }: Drop) => {
  const [over, setOver] = useState(false)
  const taken = (files: FileList | null | undefined) => files?.[0] !== undefined && !busy && take(files[0])
  const choose = (event: Event) => taken((event.currentTarget as HTMLInputElement).files)
  const drag = (isOver: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(isOver)
    if (event.type === "drop") taken(event.dataTransfer?.files)
  }
  return (
    <label class={over ? "drop over" : "drop"} onDragOver={drag(true)} onDragLeave={drag(false)} onDrop={drag(false)}>
      <strong>{label}</strong>
      <span class="soft small">{busy ? general.sending : hint}</span>
      <input type="file" aria-label={label} disabled={busy} onChange={choose} />
    </label>
  )
}

/** An answer that may be outdated or may not have arrived yet. */
type Asked<A> = Readonly<{ answer?: A | undefined; failed?: Failed | undefined; isStale: boolean }>

/** Asks the server again whenever an input changes. The previous answer stays until the next one arrives. */
export const useAnswer = <A,>(
  ask: (signal: AbortSignal, show: (part: A) => void) => Promise<A> | undefined,
  inputs: ReadonlyArray<unknown>,
  delay = 0,
): Asked<A> => {
  const [asked, setAsked] = useState<Asked<A>>({ isStale: true })
  useEffect(() => {
    const control = new AbortController()
    const put = (next: (before: Asked<A>) => Asked<A>) => control.signal.aborted || setAsked(next)
    put((before) => ({ ...before, isStale: true }))
    const timer = setTimeout(async () => {
      try {
        const answer = await ask(control.signal, (part) => put(() => ({ answer: part, isStale: true })))
        put(() => ({ answer, isStale: false }))
      } catch (failed) {
        put(({ answer }) => ({ answer, failed: failed as Failed, isStale: false }))
      }
    }, asked.answer === undefined ? 0 : delay)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, inputs)
  return asked
}

/** Does things that call the server, and keeps why the last one failed. `cancel` ends what is being done, which then has not failed. */
export const useDoing = () => {
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState<Failed>()
  const control = useRef(new AbortController())
  const run = async (work: (signal: AbortSignal) => Promise<unknown>): Promise<void> => {
    const { signal } = control.current = new AbortController()
    setBusy(true)
    setFailed(undefined)
    await work(signal).catch((error: Failed) => signal.aborted || setFailed(error))
    setBusy(false)
  }
  return { busy, failed, run, cancel: () => control.current.abort() }
}

/** Returns a box's ref, and which of its `count` rows of one height (pixels) are seen, with a few around them. */
export const useSeen = (height: number, count: number): [RefObject<HTMLDivElement | null>, number, number] => {
  const box = useRef<HTMLDivElement>(null)
  const [[first = 0, last = 0], setSeen] = useState<ReadonlyArray<number>>([0, 24])
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const update = () => {
      const top = Math.max(0, Math.floor(element.scrollTop / height) - 4)
      const end = Math.ceil((element.scrollTop + element.clientHeight) / height) + 4
      setSeen((before) => before[0] === top && before[1] === end ? before : [top, end])
    }
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener("scroll", update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", update)
    }
  }, [height])
  // If rows disappear, the box scrolls back without an event.
  const start = Math.max(0, Math.min(first, count - (last - first)))
  return [box, start, start + last - first]
}
