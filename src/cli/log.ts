import { HashMap, Logger } from "effect"
import type { Context } from "effect"
import type { Output } from "./Output.ts"

/** Logs go to stderr, a line each, level first; how they are written is the output's business. */
export const logger = (output: Context.Tag.Service<typeof Output>) =>
  Logger.make<unknown, void>(({ annotations, logLevel, message }) => {
    const words = (Array.isArray(message) ? message : [message]).map((word) =>
      typeof word === "string" ? word : word instanceof Error ? word.message : JSON.stringify(word)
    )
    output.tell(words.join(" "), {
      level: logLevel.label,
      annotations: Object.fromEntries(HashMap.toEntries(annotations)),
    })
  })
