import { likeness, meaningOf } from "../../../src/mapping/suggest/meaning.ts"
export const main = async (pairs: ReadonlyArray<string>) => {
  for (let i = 0; i < pairs.length; i += 2) {
    const [a, b] = [meaningOf(pairs[i]!), meaningOf(pairs[i + 1]!)]
    console.log(a.terms.map((t) => `${t.text}[${t.concepts}]`).join(" "), "  <>  ", b.terms.map((t) => `${t.text}[${t.concepts}]`).join(" "), JSON.stringify(likeness(a, b, () => 1)))
  }
}
