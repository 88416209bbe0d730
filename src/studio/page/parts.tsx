import type { ComponentChildren, JSX } from "preact"
import { useId } from "preact/hooks"
import { cut } from "../../domain/problem.ts"
import { visible } from "../../domain/visible.ts"
import { count, type Heading, headingsOf, type Label, type Tone } from "../../domain/words.ts"
import type { Failed } from "./call.ts"
import { general } from "./strings.ts"

// Parts that several views share.

/** Shows a name or sentence of unknown origin. */
export const safe = (text: string) => <bdi>{visible(cut(text, 1000))}</bdi>

export const asCell = (of: unknown): JSX.Element => {
  if (of === undefined || of === null || of === "") return <span class="soft">{general.empty}</span>
  if (Array.isArray(of)) return <>{of.map((one, index) => <span key={index} class="cell">{asCell(one)}</span>)}</>
  return <code>{safe(typeof of === "string" ? of : JSON.stringify(of))}</code>
}

/** What is known may be old, because the studio can't be reached. */
export const unreachable: Label = { title: general.unreachable, tone: "warn" }

export const badge = ({ title, tone }: Label) => <span class={`badge ${tone}`}>{title}</span>

/** Shows something that a person should look at. */
export const warning = (text: string | undefined) =>
  text !== undefined && <p key={text} class="warn-text">{safe(text)}</p>

export const nextCommand = (next: string | null | undefined) =>
  next != null && <p class="next">{general.next} {asCell(next)}</p>

type Section = Readonly<
  { title: string; word?: Label | false; isToned?: boolean; id?: string; children?: ComponentChildren }
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
 * A table in a box that scrolls sideways if it must.
 *
 * @param all the number of rows, including those that are not shown
 */
export const table = (
  label: string,
  columns: ReadonlyArray<string | Heading>,
  rows: ReadonlyArray<TableRow>,
  all = rows.length,
) => {
  const headings = headingsOf(columns)
  const side = (at: number) => headings[at]?.isNumber === true ? "number" : ""
  const titles = headings.map(({ title }) => visible(cut(title, 1000)))
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

type Share = Label & Readonly<{ count: number }>

/** Joins counts with their words, in the order of the words. */
export const wordsWith = <K extends string>(
  words: { readonly [N in K]: Label },
  counts: { readonly [N in NoInfer<K>]: number } | undefined,
): ReadonlyArray<Share> =>
  Object.entries<Label>(words).map(([of, word]) => ({ ...word, count: counts?.[of as K] ?? 0 }))

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

/** Shows why something failed: the mistakes in configuration files, which the message only repeats, or the message. */
export const Problem = ({ failed }: Readonly<{ failed: Failed | undefined }>) =>
  failed === undefined ? null : (
    <div class="problem" role="alert">
      {failed.diagnostics?.length ? <Diagnostics of={failed.diagnostics} /> : <p>{safe(failed.message)}</p>}
    </div>
  )

/** Shows mistakes in configuration files. */
export const Diagnostics = ({ label, of = [] }: Readonly<{ of?: Failed["diagnostics"]; label?: string }>) => {
  const shown = of.toSorted((a, b) => a.severity.localeCompare(b.severity)).slice(0, 100)
  return (
    <>
      <ul class="plain diagnostics" aria-label={label} tabIndex={label && of.length > 0 ? 0 : undefined}>
        {shown.map(({ file, line, message, severity, suggestion = "" }, index) => (
          <li key={index}>{badge(general[severity])} {safe(`${file}:${line}`)} {safe(`${message} ${suggestion}`)}</li>
        ))}
      </ul>
      {more(of.length - shown.length)}
    </>
  )
}
