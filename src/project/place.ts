import type { ParseResult, SchemaAST } from "effect"
import type { Node } from "yaml"
import type { Finding } from "./finding.ts"
import type { YamlText } from "./yamlText.ts"

/** A value's place in a file, while it is read. */
export interface Place {
  readonly node: Node | null
  /** What to point at when there is no value: the key, or the item's beginning. */
  readonly owner: Node | null
  /** What a sentence about it begins with: "`file`", "An item of `questions`", "The file". */
  readonly called: string
}

/** A file while it is read by a schema. */
export interface Reading {
  readonly yaml: YamlText
  /** The schema of the whole file. */
  readonly top: SchemaAST.AST
  readonly findings: Array<Finding>
  /** Values that may still be read: aliases that multiply are refused. */
  left: number
  /** What is wrong with an encoded value, if anything. */
  readonly check: (ast: SchemaAST.AST, value: unknown) => ParseResult.ParseIssue | undefined
}

/** A place's name inside a sentence. */
export const within = ({ called }: Place): string => called.charAt(0).toLowerCase() + called.slice(1)
