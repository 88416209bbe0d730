import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { count } from "../../domain/words.ts"
import type { Blocks } from "../bytes.ts"
import { catchOwn, refusing, SourceChanged, SourceError } from "../Source.ts"
import { type Decoder, type Encoding, Undecodable } from "./encoding.ts"

/** Text that can't be split into records. The message is a sentence or two, without the file's name. */
export class UnreadableText extends Error {}

const undecodable = (error: Undecodable, encoding: Encoding, line: number) => {
  const where = error.offset === undefined
    ? `a byte near line ${line}`
    : `byte ${count(error.offset)} (line ${line})`
  return encoding.because === "as given"
    ? `It is not ${encoding.name}, the encoding in \`source.encoding\`: ${where} is not valid in it. Correct \`source.encoding\`.`
    : encoding.name === "UTF-8"
    ? `It is not UTF-8: ${where} is not valid in it. Name its encoding, such as \`encoding: windows-1252\` under \`source\`, or save it as UTF-8.`
    : `It was read as ${encoding.name} (${encoding.because}), but ${where} is not valid in it. Save it as UTF-8.`
}

/** Runs a function that decodes or parses text. `line` returns the line at which the text decoded so far ends. */
export const readable = <A>(
  file: string,
  encoding: Encoding,
  line: () => number,
  run: () => A,
): Effect.Effect<A, SourceError> =>
  catchOwn(run, (error) =>
    error instanceof UnreadableText
      ? refusing(file)(`can't be read to its end. ${error.message}`)
      : error instanceof Undecodable
      ? new SourceError({ file, message: `${file}: ${undecodable(error, encoding, line() + error.lineEnds)}` })
      : undefined)

/** The maximum number of bytes that are decoded at a time. Longer strings take longer to garbage-collect. */
const pieceBytes = 64 * 1024

const lineFeed = 0x0a

/** What is needed to read a file's text and turn it into chunks of rows. */
interface TextReading<A> {
  readonly file: string
  readonly blocks: Blocks
  readonly encoding: Encoding
  readonly decoder: Decoder
  /** Returns the number, counting from 1, of the line at which the text read so far ends. */
  readonly line: () => number
  /** Returns the chunks that a piece of text completes. Returns undefined if the text is not the same as when the source was opened. */
  readonly take: (text: string, last: boolean) => ReadonlyArray<A> | undefined
  readonly ended: () => void
}

/** Turns a reading's blocks into chunks of rows. Requests a block only when the previous one is used up. */
export const readText = <A>(
  { blocks, decoder, encoding, ended, file, line, take }: TextReading<A>,
): Stream.Stream<A, SourceError | SourceChanged> => {
  let block: Uint8Array = new Uint8Array(0)
  let at = 0
  let hasEnded = false

  const given = (text: () => string, last: boolean) =>
    Effect.flatMap(
      Effect.mapError(readable(file, encoding, line, () => take(text(), last)), Option.some),
      (made) =>
        made === undefined
          ? Effect.fail(Option.some(new SourceChanged({ file })))
          : Effect.succeed(Chunk.unsafeFromArray(made)),
    )

  /** Returns where the piece at `at` ends. Most pieces end after a line, so that no text has to be copied to the next piece. This saves 3% of a dry run. */
  const endOfPiece = (): number => {
    const most = at + pieceBytes
    if (most >= block.length) return block.length
    const afterLine = block.lastIndexOf(lineFeed, most - 1) + 1
    return afterLine > at ? afterLine : most
  }

  // Decodes small pieces instead of whole blocks, so that rows are used and freed early, which halves the garbage collector's work. A generator would keep them.
  const pull: Effect.Effect<Chunk.Chunk<A>, Option.Option<SourceError | SourceChanged>> = Effect.suspend(() => {
    if (hasEnded) return Effect.fail(Option.none())
    if (at < block.length) {
      const end = endOfPiece()
      const bytes = block.subarray(at, end)
      at = end
      return given(() => decoder.write(bytes), false)
    }
    return Effect.flatMap(Effect.mapError(blocks.next, Option.some), (next) => {
      if (next !== undefined) {
        block = next
        at = 0
        return pull
      }
      return Effect.tap(given(() => decoder.end(), true), () => {
        hasEnded = true
        ended()
      })
    })
  })
  return Stream.repeatEffectChunkOption(pull)
}
