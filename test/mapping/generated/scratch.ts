import { FileSystem } from "@effect/platform"
import { NodeContext } from "@effect/platform-node"
import { Effect } from "effect"
import { surveySource } from "../../../src/jobs/suggestMapping.ts"
import { columnsOf } from "../../../src/mapping/suggest/Suggestion.ts"
import { ownColumns } from "../../../src/source/columns.ts"
import { openSource } from "../../../src/source/openSource.ts"
import { config } from "../../source/opening.ts"
import { drawPair } from "./drawPair.ts"
import { topicsOf } from "./topics.ts"

export const main = (args: ReadonlyArray<string>) =>
  Effect.gen(function*() {
    const [set = "known", from = "1", count = "100", titles = ""] = args
    const fs = yield* FileSystem.FileSystem
    const groups = new Map<string, number>()
    const add = (k: string) => groups.set(k, (groups.get(k) ?? 0) + 1)
    const out: Array<string> = []
    const tab = new Map<string, [number, number]>()
    for (let seed = +from; seed < +from + +count; seed++) {
      const pair = drawPair(seed, topicsOf(set as "known"))
      yield* Effect.gen(function*() {
        const folder = yield* fs.makeTempDirectoryScoped({ prefix: "formferry-pair-" })
        const path = `${folder}/${pair.file.name}`
        yield* fs.writeFile(path, pair.file.bytes)
        const source = yield* openSource(config(path))
        const survey = yield* surveySource(source, pair.form, ownColumns(source.columns))
        const acc = new Map(survey.suggestions.accepted.map((one) => [one.question.id, one]))
        const open = new Map(survey.suggestions.open.map((one) => [one.question.id, one]))
        for (const one of pair.asked) {
          const isIn = (o: any) => {
            const positions = columnsOf(o).map(({ position }) => position)
            return one.origins.some(({ allows, needs }) => [...needs].every((x) => positions.includes(x)) && positions.every((x) => needs.has(x) || allows.has(x)))
          }
          const a = acc.get(one.question.id)
          const cls = (b: ReadonlyArray<string>) => b[0]?.startsWith("the titles share no") ? "noword" : b[0]?.startsWith("the titles are the same") ? "same" : "word"
          const base = `${one.kind} ${one.of?.part._tag ?? "-"}`
          if (a !== undefined && !isIn(a.origin)) {
            if(true)add(`WRONG ${base} ${one.origins.length === 0 ? "decoy" : "swap"} ${cls(a.because)}`)
            out.push(`WRONG ${seed} ${pair.isTyped ? "" : "untyped "}${one.kind} "${one.question.name}" <- "${columnsOf(a.origin)[0]?.title}" ${a.confidence.toFixed(3)} ${a.because.join("; ")}`)
          } else if (a === undefined && one.origins.length > 0) {
            const o = open.get(one.question.id)
            const c = o?.candidates.find((x) => isIn(x.origin))
            const at = o?.candidates.findIndex((x) => isIn(x.origin))
            const conf = c === undefined ? "none" : c.confidence >= 0.9 ? ">=.9" : c.confidence >= 0.85 ? "=.85" : c.confidence >= 0.5 ? ".5-.85" : "<.5"
            add(`OPEN ${base.padEnd(18)} ${(c === undefined ? "-" : cls(c.because)).padEnd(7)} conf ${conf.padEnd(7)} ${at === 0 ? "first" : at === undefined || at < 0 ? "none" : "later"}`)
            add(`SUM ${(c === undefined ? "-" : cls(c.because)).padEnd(7)} conf ${conf.padEnd(7)} ${at === 0 ? "first" : at === undefined || at < 0 ? "none" : "later"}`)
            add(`REL ${one.relation} ${pair.isTyped ? "typed" : "untyped"}`)
            out.push(`OPEN ${seed} ${pair.isTyped ? "" : "untyped "}${one.kind} ${one.relation} "${one.question.name}" meant "${[...one.origins[0]!.needs].map((p) => source.columns[p]?.title.trim()).slice(0, 2).join(" + ")}" ${conf} ${c?.because.join("; ") ?? ""}`)
          } else if (one.origins.length > 0) add("RIGHT")
          if (a !== undefined) {
            const ok = isIn(a.origin)
            const b = a.because
            const c = cls(b) + (b.includes("about") ? "+about" : "")
            const cov = b.find((x) => /cover$/.test(x)) ?? "joined"
            const key = `${one.kind.padEnd(9)} ${c.padEnd(12)} ${cov.padEnd(10)} ${b.includes("P") ? "P" : "-"} ${b.includes("opp") ? "opp" : "   "}`
            if (c === "noword" && (cov === "nocover" || cov === "zerocover")) {
              const k = b.find((x) => /^k\d/.test(x))
              const cf = a.confidence >= 0.995 ? "c.995" : a.confidence >= 0.98 ? "c.98" : a.confidence >= 0.95 ? "c.95" : "c.90"
              const orig = [...(a.origin._tag === "Column" ? [a.origin.column.position] : [])][0] ?? -1
              const qi = pair.asked.indexOf(one)
              const nb = (d: number) => { // does the neighbour question map to the neighbour column?
                const q = pair.asked[qi + d]; if (q === undefined) return true
                const m = acc.get(q.question.id); if (m === undefined) return false
                const ps = columnsOf(m.origin).map(({ position }) => position)
                return !m.because.some((x) => /share no/.test(x)) && (d < 0 ? Math.max(...ps) < orig : Math.min(...ps) > orig)
              }
              const key2 = `${k} ${nb(-1) && nb(1) ? "nb2" : nb(-1) || nb(1) ? "nb1" : "nb0"} ${cf}`
              for (const kk of [`K ${k}`, `N ${nb(-1) && nb(1) ? "nb2" : nb(-1) || nb(1) ? "nb1" : "nb0"}`, `C ${cf}`, `X ${key2}`]) { const t = tab.get(kk) ?? [0, 0]; t[ok ? 0 : 1]++; tab.set(kk, t) }
            }
            const t = tab.get(key) ?? [0, 0]; t[ok ? 0 : 1]++; tab.set(key, t)
          }
        }
      }).pipe(Effect.scoped)
    }
    console.log([...groups].sort((a, b) => b[1] - a[1]).map(([k, v]) => `${String(v).padStart(5)} ${k}`).join("\n"))
    console.log([...tab].sort().map(([k, [r, w]]) => `TAB ${k} right ${String(r).padStart(4)} wrong ${String(w).padStart(3)} ${(r / (r + w)).toFixed(3)}`).join("\n"))
    if (titles) console.log(out.join("\n"))
  }).pipe(Effect.provide(NodeContext.layer), Effect.runPromise)
