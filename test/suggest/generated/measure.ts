// Measures precision and recall of the suggestions for many pairs.
import { Effect } from "effect"
import { drawPair } from "./drawPair.ts"
import { judge, type Judged, type JudgedText } from "./judge.ts"
import { type TopicSet, topicsOf } from "./topics.ts"

interface Measured {
  readonly questions: ReadonlyArray<Judged>
  readonly texts: ReadonlyArray<JudgedText>
  readonly recognised: number
  readonly pairs: number
}

/** Evaluates the suggestions for the pairs of some seeds. */
export const measure = (set: TopicSet, seeds: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const topics = topicsOf(set)
    const all = yield* Effect.forEach(seeds, (seed) => {
      const pair = drawPair(seed, topics)
      return Effect.map(
        judge(pair),
        (result) => ({ ...result, isRecognised: (result.tool ?? "database") === pair.style.tool }),
      )
    })
    const measured: Measured = {
      questions: all.flatMap(({ judged }) => judged),
      texts: all.flatMap(({ texts }) => texts),
      recognised: all.filter(({ isRecognised }) => isRecognised).length,
      pairs: all.length,
    }
    return measured
  })

type Outcome = Pick<Judged | JudgedText, "isWanted" | "outcome">

/** Returns the precision and recall of suggestions. */
export const score = (all: ReadonlyArray<Outcome>) => {
  const count = (outcome: Judged["outcome"]) => all.filter((one) => one.outcome === outcome).length
  const [right, wrong, open] = [count("right"), count("wrong"), count("open")]
  const wanted = all.filter(({ isWanted }) => isWanted).length
  return {
    right,
    wrong,
    open,
    precision: right + wrong === 0 ? 1 : right / (right + wrong),
    recall: wanted === 0 ? 1 : right / wanted,
  }
}

/** Returns the texts that count. A code without a meaning counts only if its suggestion is wrong. */
export const readable = (texts: ReadonlyArray<JudgedText>) =>
  texts.filter(({ isOpaque, outcome }) => !isOpaque || outcome === "wrong")

const line = (name: string, all: ReadonlyArray<Outcome>): string => {
  const { open, precision, recall, right, wrong } = score(all)
  return `${name.padEnd(30)} precision ${precision.toFixed(3)}  recall ${recall.toFixed(3)}  right ${
    String(right).padStart(5)
  }  wrong ${String(wrong).padStart(4)}  open ${String(open).padStart(5)}`
}

const grouped = <A extends Outcome>(
  all: ReadonlyArray<A>,
  by: (one: A) => string,
): ReadonlyArray<string> => {
  const groups = new Map<string, Array<A>>()
  for (const one of all) groups.set(by(one), [...groups.get(by(one)) ?? [], one])
  return [...groups].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([name, members]) => line(`  ${name}`, members))
}

const counted = (texts: ReadonlyArray<string>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].toSorted((a, b) => b[1] - a[1]).map(([text, count]) =>
    `  ${text.padEnd(60)} ${String(count).padStart(5)}`
  )
}

const listed = ({ questions, texts }: Measured): ReadonlyArray<string> => [
  "",
  "by the evidence apart from titles",
  ...grouped(questions.filter(({ isWanted }) => isWanted), ({ evidence }) => evidence),
  "open questions by the place of their expected columns",
  ...counted(questions.filter(({ outcome }) => outcome === "open").map(({ cause }) => cause)),
  "open questions by title and evidence",
  ...counted(
    questions.flatMap(({ asked, evidence, outcome }) => outcome === "open" ? [`${asked.relation}: ${evidence}`] : []),
  ),
  "",
  ...questions.filter(({ outcome }) => outcome === "wrong" || outcome === "open").map(
    ({ asked, cause, made, meant, outcome, pair }) =>
      `${outcome} ${pair.seed} ${pair.style.name} ${asked.kind} ${asked.relation} ${
        pair.isTyped ? "" : "untyped "
      }"${asked.question.name}" ${
        outcome === "wrong" ? `← "${made}", meant "${meant}"` : `meant "${meant}": ${cause}`
      }`,
  ),
  ...readable(texts).filter(({ outcome }) => outcome !== "right").map(({ made, meant, outcome, pair, text }) =>
    `${outcome} option ${pair.seed} ${pair.style.name} "${text}" ${
      outcome === "wrong" ? `→ "${made}", ` : ""
    }meant "${meant}"`
  ),
]

/** Returns figures as lines. With `withTitles`, also lists wrong and open suggestions. */
export const figuresOf = (measured: Measured, withTitles: boolean): ReadonlyArray<string> => {
  const { pairs, questions, recognised, texts } = measured
  const asked = questions.filter(({ outcome }) => outcome !== "left")
  return [
    `pairs ${pairs}, tool recognised in ${recognised}, questions ${questions.length}, left open as they must be ${
      questions.length - asked.length
    }`,
    line("all", asked),
    "by tool",
    ...grouped(asked, ({ pair }) => pair.style.name),
    "by kind",
    ...grouped(asked, ({ asked }) => asked.kind),
    "by language of the export",
    ...grouped(asked, ({ pair }) => pair.language),
    "by title",
    ...grouped(asked, ({ asked }) => asked.of === undefined ? "no column" : asked.relation),
    "by the form's language",
    ...grouped(asked, ({ pair }) => pair.language === pair.formLanguage ? "the same" : "a different one"),
    "by the form's types",
    ...grouped(asked, ({ pair }) => pair.isTyped ? "given" : "missing"),
    "",
    line("texts of options", readable(texts)),
    ...grouped(
      readable(texts),
      ({ pair }) => pair.language === pair.formLanguage ? "the same language" : "a different language",
    ),
    line("codes without a meaning", texts.filter(({ isOpaque }) => isOpaque)),
    ...(withTitles ? listed(measured) : []),
  ]
}
