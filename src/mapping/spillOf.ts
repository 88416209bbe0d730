import type { YamlPath } from "../domain/diagnostic.ts"
import type { Asked, KindOptions } from "./compileKind.ts"
import type { Read } from "./readers.ts"
import type { Workshop } from "./Workshop.ts"

/** Where the texts of an entry go that are meant for another question. */
export const spillOf = (asked: Asked, options: KindOptions, workshop: Workshop) => {
  const textTo = (option: "other" | "otherwise"): ReadonlyArray<readonly [string, YamlPath]> => {
    const value = options[option]
    return typeof value === "object" && value !== null && "textTo" in value && typeof value.textTo === "string"
      ? [[value.textTo, [...asked.path, option, "textTo"]]]
      : []
  }
  const targets = [...textTo("other"), ...textTo("otherwise")]
  if (targets.length === 0 || asked.question === undefined) return undefined
  const spills = new Map(
    targets.map(([name, path]) => [name, workshop.spills.open(name, asked, path)] as const),
  )
  return {
    hand: (text: string, to: string) => void spills.get(to)?.texts.push(text),
    around: (read: Read): Read => (cells, problems) => {
      for (const spill of spills.values()) if (spill !== undefined) spill.texts.length = 0
      return read(cells, problems)
    },
  }
}
