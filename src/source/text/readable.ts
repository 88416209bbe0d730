import { Effect } from "effect"
import { UnreadableJson } from "../json/records.ts"
import { thousands } from "../limits.ts"
import { SourceError } from "../Source.ts"
import { Undecodable } from "./encoding.ts"
import type { Encoding } from "./encoding.ts"
import { UnreadableRecord } from "./records.ts"

const undecodable = (error: Undecodable, encoding: Encoding, line: number) => {
  const where = error.offset === undefined ? `near line ${line}` : `byte ${thousands(error.offset)} (line ${line})`
  return encoding.because === "as the pipeline says"
    ? `It is not ${encoding.name} as \`source.encoding\` says: ${where} is no text in it. Correct \`source.encoding\`.`
    : encoding.name === "UTF-8"
    ? `It is not UTF-8: ${where} is no text in it. Say which encoding it has, such as \`encoding: windows-1252\` under \`source\`, or save it as UTF-8.`
    : `It is not ${encoding.name}, as which it was taken ${encoding.because}: ${where} is no text in it. Save it as UTF-8.`
}

/** Runs what may throw one of our own errors; anything else it throws is a bug. `line`: where the text decoded so far ends. */
export const readable = <A>(
  file: string,
  encoding: Encoding,
  line: () => number,
  run: () => A,
): Effect.Effect<A, SourceError> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(run())
    } catch (error) {
      if (error instanceof UnreadableRecord || error instanceof UnreadableJson) {
        return new SourceError({ file, message: `${file} can't be read on. ${error.message}` })
      }
      if (error instanceof Undecodable) {
        return new SourceError({ file, message: `${file}: ${undecodable(error, encoding, line() + error.lineEnds)}` })
      }
      return Effect.die(error)
    }
  })
