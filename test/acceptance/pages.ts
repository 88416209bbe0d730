import { readdirSync } from "node:fs"
import { join } from "node:path"
import { repository } from "./deployed.ts"

/** Returns the pages in a folder. */
export const markdownIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(join(repository, folder)).filter((name) => name.endsWith(".md")).map((name) => join(folder, name))

/** README and the pages of docs/. */
export const pages: ReadonlyArray<string> = ["README.md", ...markdownIn("docs"), ...markdownIn("docs/deploy")]

/** A fenced block of a page. */
export interface Block {
  readonly language: string
  readonly text: string
  /**
   * The file that a page asks the reader to write, named in the sentence before the block: "`people.csv`, the rows:".
   */
  readonly file: string | undefined
  /**
   * The state of the project in which the block starts, from a comment before the block: `<!-- state: imported -->`.
   */
  readonly state: string | undefined
}

/** Returns the fenced blocks of a page in order. */
export const blocksOf = (page: string): ReadonlyArray<Block> =>
  [...page.matchAll(/(?:^`([^`\n]+)`,[^\n]*:\n\n|^<!-- state: ([a-z ]+) -->\n\n)?^( *)```(\w*)\n([^]*?)^ *```$/gm)].map(
    (
      [, file, state, indent = "", language = "", text = ""],
    ) => ({ file, state, language, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "") }),
  )
