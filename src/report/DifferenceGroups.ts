import * as Struct from "effect/Struct"
import type { AnswerComparison } from "../domain/comparison.ts"
import { canonicalJson } from "../domain/json.ts"
import type { Difference, Finding, Normalisation } from "../domain/report.ts"
import { patternOf } from "./pattern.ts"

/** The maximum number of examples for each finding. */
const examples = 5
/** The maximum number of patterns that are listed for a question and verdict. Any others are counted together. */
const mostPatterns = 12

type Counted<A> = Omit<A, "count"> & { count: number }

interface Group extends Counted<Omit<Finding, "examples" | "tolerated" | "note">> {
  readonly examples: Array<Difference>
  /** The lengths of the shortest and the longest returned string. */
  shortest: number
  longest: number
  /** Whether every answer of the group came back with the same value. */
  alike: boolean
}

const noteOf = ({ alike, count, longest, pattern, shortest, verdict }: Group): string | undefined => {
  if (count < 2 || verdict !== "different") return undefined
  if (alike) return "all came back as the same value"
  return pattern === "cut off at the end" && shortest === longest ? `each to ${longest} characters` : undefined
}

/** Groups differences and normalisations as they arrive. Memory is bounded, whatever their number. */
export class DifferenceGroups {
  private readonly groups = new Map<string, Group>()
  private readonly patterns = new Map<string, number>()
  private readonly normalisations = new Map<string, Counted<Normalisation>>()

  add(difference: Difference): void {
    const { question, name, verdict } = difference
    const id = (pattern: string) => JSON.stringify([question, verdict, pattern])
    let pattern = patternOf(difference)
    let group = this.groups.get(id(pattern))
    const known = this.patterns.get(id("")) ?? 0
    if (group === undefined && known >= mostPatterns) {
      pattern = "in other ways"
      group = this.groups.get(id(pattern))
    }
    if (group === undefined) {
      const nothing = { count: 0, examples: [], shortest: Infinity, longest: 0, alike: true }
      group = { question, name, verdict, pattern, ...nothing }
      this.groups.set(id(pattern), group)
      this.patterns.set(id(""), known + 1)
    }
    group.count++
    const length = typeof difference.returned === "string" ? difference.returned.length : 0
    group.shortest = Math.min(group.shortest, length)
    group.longest = Math.max(group.longest, length)
    group.alike &&= canonicalJson(group.examples[0]?.returned ?? difference.returned)
      === canonicalJson(difference.returned)
    if (group.examples.length < examples) group.examples.push(difference)
  }

  /** @param of the submission that the answer belongs to */
  normalised(comparison: AnswerComparison, of: { readonly row: number; readonly submissionId: string }): void {
    const { question, name, sent, returned, normalised: what = "way of writing" } = comparison
    const id = JSON.stringify([question, what])
    const group = this.normalisations.get(id)
    if (group !== undefined) {
      group.count++
      return
    }
    const { row, submissionId } = of
    this.normalisations.set(id, { question, name, what, count: 1, example: { row, submissionId, sent, returned } })
  }

  /** @param tolerated returns why a question's differences are tolerated, or undefined if they are not */
  all(tolerated: (question: string) => string | undefined): ReadonlyArray<Finding> {
    return [...this.groups.values()]
      .map((group) => ({
        ...Struct.omit(group, "alike", "longest", "shortest"),
        note: noteOf(group),
        tolerated: tolerated(group.question),
      }))
      .sort((a, b) => b.count - a.count)
  }

  get allNormalised(): ReadonlyArray<Normalisation> {
    return [...this.normalisations.values()].sort((a, b) => b.count - a.count)
  }
}
