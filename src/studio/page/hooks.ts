import type { RefObject } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { Failed } from "./call.ts"

/** An answer that may be outdated or may not have arrived yet. */
type Asked<A> = Readonly<{ answer?: A | undefined; failed?: Failed | undefined; isStale: boolean }>

/** Asks the server again whenever an input changes, or until it can be reached. The previous answer stays until the next one arrives. */
export const useAnswer = <A>(
  ask: (signal: AbortSignal, show: (part: A) => void) => Promise<A> | undefined,
  inputs: ReadonlyArray<unknown>,
  delay = 0,
): Asked<A> => {
  const [asked, setAsked] = useState<Asked<A>>({ isStale: true })
  useEffect(() => {
    const control = new AbortController()
    const put = (next: (before: Asked<A>) => Asked<A>) => control.signal.aborted || setAsked(next)
    put((before) => ({ ...before, isStale: true }))
    const work = async () => {
      try {
        const answer = await ask(control.signal, (part) => put(() => ({ answer: part, isStale: true })))
        put(() => ({ answer, isStale: false }))
      } catch (error) {
        const failed = error as Failed
        put(({ answer }) => ({ answer, failed, isStale: false }))
        const isLost = failed._tag === "Unreachable" || failed._tag === "Forbidden"
        if (isLost && !control.signal.aborted) timer = setTimeout(work, 3000)
      }
    }
    let timer = setTimeout(work, asked.answer === undefined ? 0 : delay)
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
