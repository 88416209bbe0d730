import { SchemaAST } from "effect"
import type { ParseResult } from "effect"
import { annotation, Expects } from "./annotated.ts"
import { literals, shapesOf } from "./shapes.ts"
import { oneOf, quoted } from "./suggestion.ts"

const ofScalar = (ast: SchemaAST.AST): string => {
  const own = annotation<string>(ast, Expects)
  if (own !== undefined) return own
  switch (ast._tag) {
    case "StringKeyword":
      return "text"
    case "NumberKeyword":
      return "a number"
    case "BooleanKeyword":
      return "true or false"
    case "Literal":
      return quoted(String(ast.literal))
    case "Refinement": {
      const described = SchemaAST.getDescriptionAnnotation(ast)
      return described._tag === "Some" && described.value !== "" ? described.value : ofScalar(ast.from)
    }
    case "Transformation":
      return ofScalar(ast.from)
    default:
      return "a value"
  }
}

/** What a schema expects at a place, to stand behind "expects". */
export const expected = (ast: SchemaAST.AST): string => {
  const own = annotation<string>(ast, Expects)
  if (own !== undefined) return own
  const { scalars, lists, structs } = shapesOf(ast)
  const words = [
    ...scalars.map(ofScalar),
    ...lists.map((list) => annotation<string>(list.ast, Expects) ?? annotation<string>(list.core, Expects) ?? "a list"),
    ...structs.slice(0, 1).map((struct) =>
      annotation<string>(struct.ast, Expects) ?? annotation<string>(struct.core, Expects)
        ?? (struct.core.indexSignatures.length > 0 ? "names with values" : "a mapping of keys")
    ),
  ]
  return oneOf([...new Set(words)])
}

/** What to write for a missing key: its only texts, else what it expects. */
export const sample = (ast: SchemaAST.AST): string => {
  const texts = literals(ast)
  return texts.length > 0 && texts.length === shapesOf(ast).scalars.length ? oneOf(texts.map(quoted)) : expected(ast)
}

/** The sentence that a schema's own check gave, if it gave one. */
export const ownSentence = (issue: ParseResult.ParseIssue): string | undefined => {
  switch (issue._tag) {
    case "Type":
      return issue.message
    case "Refinement":
    case "Transformation":
    case "Pointer":
      return ownSentence(issue.issue)
    case "Composite": {
      const issues = Array.isArray(issue.issues) ? issue.issues : [issue.issues]
      for (const inner of issues as ReadonlyArray<ParseResult.ParseIssue>) {
        const sentence = ownSentence(inner)
        if (sentence !== undefined) return sentence
      }
      return undefined
    }
    default:
      return undefined
  }
}
