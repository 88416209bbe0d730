import type { ComponentChildren, RefObject } from "preact"
import { useEffect, useId, useRef, useState } from "preact/hooks"
import type { Tone } from "../../domain/words.ts"
import type { Failed } from "./call.ts"
import { count, general } from "./strings.ts"

// What several views are made of.

const unseen = /\r\n|\p{Cc}|\p{Surrogate}|\p{Zl}|\p{Zp}|(?![\u200C\u200D])\p{Cf}/gu

/** Makes control characters and those that change the writing direction visible, and cuts a long text. */
export const visible = (text: string, most = 400): string =>
  (text.length > most ? `${text.slice(0, most - 1)}…` : text).replace(unseen, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (character === "\r\n" || character === "\n") return "↵"
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`
  })

/** Shows a name of unknown origin. */
export const Name = ({ text }: { readonly text: string }) => <bdi>{visible(text, 160)}</bdi>

/** Shows a cell, or an answer in JSON. */
export const Value = ({ of }: { readonly of: unknown }) =>
  of === undefined || of === null || of === ""
    ? <span class="soft">{general.empty}</span>
    : <code><bdi>{visible(typeof of === "string" ? of : JSON.stringify(of))}</bdi></code>

export const Badge = ({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** A titled part of a view. */
export const Section = (
  { title, aside, id, children }: {
    readonly title: string
    readonly aside?: ComponentChildren
    readonly id?: string
    readonly children: ComponentChildren
  },
) => {
  const heading = useId()
  return (
    <section aria-labelledby={heading} id={id}>
      <div class="head">
        <h2 id={heading} tabIndex={-1}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  )
}

/** A box that scrolls sideways if it must. */
export const Wide = ({ label, children }: { readonly label: string; readonly children: ComponentChildren }) => (
  <div class="wide" tabIndex={0} role="group" aria-label={label}>{children}</div>
)

interface Share {
  readonly title: string
  readonly count: number
  readonly tone: Tone
}

/** Shows adjacent shares of a total. */
export const Shares = ({ of, total }: { readonly of: ReadonlyArray<Share>; readonly total?: number }) => {
  const some = of.filter((share) => share.count > 0)
  const all = Math.max(total ?? 0, some.reduce((sum, share) => sum + share.count, 0), 1)
  let start = 0
  return (
    <svg
      class="shares"
      viewBox="0 0 1000 12"
      preserveAspectRatio="none"
      role="img"
      aria-label={some.map((share) => `${share.title} ${count(share.count)}`).join(", ") || general.nothing}
    >
      <rect class="track" width="1000" height="12" />
      {some.map((share) => {
        const x = start
        start += (share.count / all) * 1000
        return <rect key={share.title} class={share.tone} x={x} width={Math.max(start - x - 2, 1)} height="12" />
      })}
    </svg>
  )
}

/** Shows why a call failed. */
export const Problem = ({ failed }: { readonly failed: Failed | undefined }) =>
  failed === undefined ? null : (
    <div class="problem" role="alert">
      <p>{visible(failed.message, 2000)}</p>
      <Diagnostics of={failed.diagnostics ?? []} />
    </div>
  )

/** Shows mistakes in configuration files. */
export const Diagnostics = ({ of }: { readonly of: NonNullable<Failed["diagnostics"]> }) =>
  of.length === 0 ? null : (
    <ul class="plain diagnostics">
      {of.slice(0, 100).map((one, index) => (
        <li key={index} class={one.severity}>
          <Badge tone={one.severity === "error" ? "bad" : "warn"}>{general.severity[one.severity]}</Badge>{" "}
          <span class="soft">{visible(one.file)}:{one.line}</span> {visible(one.message, 1000)}
          {one.suggestion !== undefined && <span class="soft">{" "}{visible(one.suggestion, 1000)}</span>}
        </li>
      ))}
    </ul>
  )

/** Lets someone drop or choose a file. */
export const Drop = (
  { label, hint, busy, take }: {
    readonly label: string
    readonly hint: string
    readonly busy: boolean
    readonly take: (file: File) => void
  },
) => {
  const [over, setOver] = useState(false)
  return (
    <label
      class={`drop ${over ? "over" : ""}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        const file = event.dataTransfer?.files[0]
        if (file !== undefined) take(file)
      }}
    >
      <span class="strong">{label}</span>
      <span class="soft small">{busy ? general.sending : hint}</span>
      <input
        type="file"
        aria-label={label}
        disabled={busy}
        onChange={({ currentTarget }) => {
          const file = currentTarget.files?.[0]
          if (file !== undefined) take(file)
          currentTarget.value = ""
        }}
      />
    </label>
  )
}

/** An answer that may be outdated or not there yet. */
export interface Asked<A> {
  readonly answer?: A | undefined
  readonly failed?: Failed | undefined
  readonly isStale: boolean
}

/** Asks the server again whenever an input changes. The answer before stays until the next one is there. */
export const useAnswer = <A,>(
  ask: (signal: AbortSignal, show: (part: A) => void) => Promise<A> | undefined,
  inputs: ReadonlyArray<unknown>,
  delay = 0,
): Asked<A> => {
  const [asked, setAsked] = useState<Asked<A>>({ isStale: true })
  useEffect(() => {
    const control = new AbortController()
    const { signal } = control
    setAsked((before) => ({ ...before, isStale: true }))
    const timer = setTimeout(async () => {
      try {
        const answer = await ask(signal, (part) => signal.aborted || setAsked({ answer: part, isStale: true }))
        if (!signal.aborted) setAsked({ answer, isStale: false })
      } catch (failed) {
        if (!signal.aborted) setAsked(({ answer }) => ({ answer, failed: failed as Failed, isStale: false }))
      }
    }, delay)
    return () => {
      clearTimeout(timer)
      control.abort()
    }
  }, inputs)
  return asked
}

/** Does things that call the server, and keeps why one failed. */
export const useDoing = () => {
  const [busy, setBusy] = useState(false)
  const [failed, setFailed] = useState<Failed>()
  const run = async (work: () => Promise<unknown>): Promise<void> => {
    setBusy(true)
    setFailed(undefined)
    try {
      await work()
    } catch (error) {
      setFailed(error as Failed)
    }
    setBusy(false)
  }
  return { busy, failed, run }
}

/** Returns a box's ref, and which of its rows of one height (pixels) are seen, with a few around them. */
export const useSeen = (height: number): [RefObject<HTMLDivElement | null>, { readonly first: number; readonly last: number }] => {
  const box = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState({ first: 0, last: 24 })
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const update = () => {
      const first = Math.max(0, Math.floor(element.scrollTop / height) - 4)
      const last = Math.ceil((element.scrollTop + element.clientHeight) / height) + 4
      setSeen((before) => before.first === first && before.last === last ? before : { first, last })
    }
    const observer = new ResizeObserver(update)
    observer.observe(element)
    element.addEventListener("scroll", update, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener("scroll", update)
    }
  }, [height])
  return [box, seen]
}
