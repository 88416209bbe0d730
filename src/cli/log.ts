import { Logger } from "effect"
import type { Context } from "effect"
import type { Output } from "./Output.ts"

/** Logs go to stderr, a line each, level first. */
export const logger = (output: Context.Tag.Service<typeof Output>) =>
  Logger.make<unknown, void>(({ logLevel, message }) => {
    const words = (Array.isArray(message) ? message : [message]).map((word) =>
      typeof word === "string" ? word : word instanceof Error ? word.message : JSON.stringify(word)
    )
    output.tell(`${logLevel.label}: ${words.join(" ")}`)
  })
