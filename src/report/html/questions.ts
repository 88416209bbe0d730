import { answerVerdicts } from "../../domain/comparison.ts"
import type { AnswerVerdict } from "../../domain/comparison.ts"
import type { RunReport } from "../../domain/run.ts"
import { count } from "../words.ts"
import type { Tone } from "../words.ts"
import { html } from "./markup.ts"
import type { Content } from "./markup.ts"
import { bar, name, section, share, table } from "./parts.ts"
import type { Part } from "./parts.ts"

const tones: { readonly [V in AnswerVerdict]: Tone } = {
  same: "good",
  equivalent: "good",
  different: "bad",
  absent: "bad",
  unexpected: "bad",
  "not comparable": "calm",
}

/** The questions without an answer, for one reason. */
const unansweredNote = (
  title: string,
  { unanswered = [] }: RunReport,
  state: NonNullable<RunReport["unanswered"]>[number]["state"],
): Content => {
  const left = unanswered.filter((question) => question.state === state)
  return left.length > 0
    && html`<p>${title}: ${left.map((question, at) => html`${at > 0 && ", "}${name(question.name)}`)}.</p>`
}

/** Question by question: how many rows answered it, and how the answers compared. */
export const questionsPart = (report: RunReport): Part | undefined => {
  if (report.questions.length === 0) return undefined
  const counts = (verdict: AnswerVerdict, question: RunReport["questions"][number]) => question.verdicts[verdict] ?? 0
  const compared = answerVerdicts.filter((verdict) =>
    report.questions.some((question) => counts(verdict, question) > 0)
  )
  return section("questions", "Questions", [
    table(
      "Questions: fill rate and agreement",
      [
        { title: "question" },
        { title: "kind" },
        ...report.sent > 0 ? [{ title: "answered", number: true }, { title: "fill rate", number: true }] : [],
        ...compared.length > 0 ? [{ title: "agreement", number: true }] : [],
        ...compared.map((verdict) => ({ title: verdict, number: true })),
      ],
      report.questions.map((question) => {
        const of = (verdict: AnswerVerdict) => counts(verdict, question)
        const comparable = answerVerdicts.reduce((sum, verdict) => sum + of(verdict), 0) - of("not comparable")
        return {
          cells: [
            html`${name(question.name)} <code class="soft">${name(question.id)}</code>`,
            question.kind,
            ...report.sent > 0
              ? [count(question.answered), [
                share(question.answered, report.sent),
                bar([
                  { title: "answered", count: question.answered, tone: "calm" },
                  { title: "not answered", count: Math.max(0, report.sent - question.answered), tone: "none" },
                ]),
              ]]
              : [],
            ...compared.length > 0
              ? [[
                share(of("same") + of("equivalent"), comparable),
                bar(compared.map((verdict) => ({ title: verdict, count: of(verdict), tone: tones[verdict] }))),
              ]]
              : [],
            ...compared.map((verdict) => count(of(verdict))),
          ],
        }
      }),
    ),
    html`<p class="small soft">${
      report.sent > 0 && `Fill rate: answers among the ${count(report.sent)} rows that were sent. `
    }Agreement: answers that came back the same or equivalent among those that could be compared.</p>`,
    unansweredNote("Not mapped, so without an answer", report, "notMapped"),
    unansweredNote("Left without an answer on purpose", report, "ignored"),
  ])
}
