import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { cut } from "../../domain/problem.ts"
import { visible } from "../../domain/visible.ts"
import type { Tone } from "../../domain/words.ts"
import type { Home } from "../Api.ts"
import { general } from "./strings.ts"

// Controls: buttons, fields, lists and boxes for files.

type Act = Readonly<
  & { main?: boolean; link?: boolean; off?: boolean; label?: string; tab?: number; tone?: Tone; repeats?: boolean }
  & { expanded?: boolean }
>

/** A button. If it is off, it keeps the focus, because `disabled` would move a screen reader to the top of the page. A label says what its sign means. The second click of a double click does nothing, unless the button repeats what it does. */
export const act = (
  text: ComponentChildren,
  go: () => unknown,
  { expanded, label = "", link, main, off, repeats = false, tab, tone }: Act = {},
) => (
  <button
    type="button"
    class={main === true ? "main" : link === true ? "link" : tone ?? ""}
    aria-disabled={off === true}
    aria-expanded={expanded}
    aria-label={visible(label) || undefined}
    title={visible(label) || undefined}
    tabIndex={tab}
    onClick={({ detail }) => off !== true && (detail < 2 || repeats) && go()}
  >
    {text}
  </button>
)

/** The button of a form, which Enter in a field also presses. */
export const submit = (text: string, off: boolean) => <button class="main" disabled={off}>{text}</button>

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

/** Lets someone choose one of some values, each with its text. Asks for a choice as long as there is none. */
export const pick = (
  label: string,
  value: string,
  set: (value: string) => void,
  options: ReadonlyArray<readonly [value: string, text: string]>,
  off = false,
) => (
  <label>
    {label}{" "}
    <select value={value} disabled={off} onChange={({ currentTarget }) => set(currentTarget.value)}>
      {value === "" && choice("", general.choose)}
      {options.map(([one, text]) => choice(one, text))}
    </select>
  </label>
)

/** One of the values of a list. The text may be of unknown origin. */
export const choice = (value: string, text: string) => (
  <option key={value} value={value}>{visible(cut(text, 1000))}</option>
)

export type Targets = Home["pipelines"][number]["targets"]

/** Lets someone choose one of a pipeline's targets, if it has several. */
export const pickTarget = (targets: Targets, to: string | undefined, set: (to: string) => void, off = false) =>
  targets.length > 0 && (
    <div class="fields">
      {pick(
        general.target,
        to ?? "",
        set,
        targets.map(({ form, service, to }) => [to, `${to} (${form}, ${service})`]),
        off,
      )}
    </div>
  )

/** One of several things to choose from, with what is known about it. */
export const option = (name: string, key: string, isChosen: boolean, set: () => void, about: ComponentChildren) => (
  <label class="option" key={key}>
    <input type="radio" name={name} checked={isChosen} onChange={set} />
    <span>{about}</span>
  </label>
)

type Drop = Readonly<{ label: string; hint: string; busy: string | false; take: (file: File) => void }>

/** Lets someone drop or choose a file. `busy` says why no file can be taken now. */
export const Drop = ({ busy, hint, label, take }: Drop) => {
  const [over, setOver] = useState(false)
  const [isOne, setOne] = useState(true)
  const taken = (files: ArrayLike<File> = []) => {
    setOne(files.length <= 1)
    if (files[0] !== undefined && files.length === 1 && busy === false) take(files[0])
  }
  const choose = ({ currentTarget }: { readonly currentTarget: HTMLInputElement }) => {
    taken(currentTarget.files ?? [])
    // Otherwise the same file could not be chosen again.
    currentTarget.value = ""
  }
  const drag = (isOver: boolean) => (event: DragEvent) => {
    event.preventDefault()
    setOver(isOver)
    if (event.type === "drop") taken(event.dataTransfer?.files)
  }
  return (
    <label class={over ? "drop over" : "drop"} onDragOver={drag(true)} onDragLeave={drag(false)} onDrop={drag(false)}>
      <strong>{label}</strong>
      <span class="soft small">{busy === false ? hint : busy}</span>
      {!isOne && <span role="alert" class="bad-text">{general.oneFile}</span>}
      <input type="file" aria-label={label} disabled={busy !== false} onChange={choose} />
    </label>
  )
}
