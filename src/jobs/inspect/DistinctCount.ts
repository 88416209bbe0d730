/** Texts that are kept, and up to which their number is exact. */
const kept = 1_000

/** Hashes that are kept beyond that: the smallest ones tell how many there are, to about 3 in 100. */
const smallest = 1_024

const two53 = 2 ** 53

/** How many different texts there are: counted up to a bound, estimated beyond it. Memory is bounded. */
export class DistinctCount {
  private texts = new Map<string, number>()
  private full = false
  /** Of all hashes the smallest, as a heap with its greatest on top; and what is in it. */
  private heap: Array<number> = []
  private inHeap = new Set<number>()

  add(text: string, hash: number): void {
    const times = this.texts.get(text)
    if (times !== undefined) this.texts.set(text, times + 1)
    // A long text is not kept: it is no option.
    else if (this.texts.size < kept && text.length <= 1_000) this.texts.set(text, 1)
    else this.full = true
    this.offer(hash)
  }

  /** The number of different texts, and whether it is exact. */
  count(): { readonly count: number; readonly exact: boolean } {
    if (!this.full) return { count: this.texts.size, exact: true }
    if (this.heap.length < smallest) return { count: this.heap.length, exact: true }
    return { count: Math.round((smallest - 1) / ((this.heap[0] ?? two53) / two53)), exact: false }
  }

  /** The texts that occur most often among those that are kept. */
  most(number: number): ReadonlyArray<{ readonly text: string; readonly times: number }> {
    return [...this.texts].map(([text, times]) => ({ text, times })).toSorted((a, b) => b.times - a.times).slice(
      0,
      number,
    )
  }

  private offer(hash: number): void {
    const { heap, inHeap } = this
    if (inHeap.has(hash)) return
    if (heap.length < smallest) {
      heap.push(hash)
      inHeap.add(hash)
      this.rise(heap.length - 1)
    } else if (hash < (heap[0] ?? 0)) {
      inHeap.delete(heap[0] ?? 0)
      inHeap.add(hash)
      heap[0] = hash
      this.sink()
    }
  }

  private rise(from: number): void {
    const { heap } = this
    for (let at = from; at > 0;) {
      const parent = (at - 1) >> 1
      if ((heap[parent] ?? 0) >= (heap[at] ?? 0)) return
      ;[heap[parent], heap[at]] = [heap[at] ?? 0, heap[parent] ?? 0]
      at = parent
    }
  }

  private sink(): void {
    const { heap } = this
    for (let at = 0;;) {
      const [left, right] = [2 * at + 1, 2 * at + 2]
      let most = at
      if ((heap[left] ?? -1) > (heap[most] ?? 0)) most = left
      if ((heap[right] ?? -1) > (heap[most] ?? 0)) most = right
      if (most === at) return
      ;[heap[at], heap[most]] = [heap[most] ?? 0, heap[at] ?? 0]
      at = most
    }
  }
}
