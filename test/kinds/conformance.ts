import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { type Cell, ErrorCell } from "../../src/domain/cell.ts"
import type { Json } from "../../src/domain/json.ts"
import { problemCodes } from "../../src/domain/problem.ts"
import { Fault, type InputShape, type Kind, type KindContext, type Parse } from "../../src/kinds/Kind.ts"
import { anyCell } from "./cells.ts"

/** What each kind's test declares about the kind. */
export interface Conforming {
  readonly kind: Kind
  /** Decoded options to try. The first set is used for `sends` and `changed`. */
  readonly options: ReadonlyArray<object>
  readonly question?: KindContext["question"]
  /** Cells with the values that are sent for them. */
  readonly sends: ReadonlyArray<readonly [Cell, Json]>
  /** Sent values, and normalised forms of them that a service may return. */
  readonly equivalent?: ReadonlyArray<readonly [sent: Json, returned: Json]>
  /** Pairs of values with different meanings. */
  readonly changed: ReadonlyArray<readonly [Json, Json]>
}

/** Compiles a kind. Invalid options fail the test. */
export const compiled = (
  kind: Kind,
  options: object = {},
  context: Partial<KindContext> = {},
): Parse => {
  const parse = kind.compile(options as never, {
    question: undefined,
    input: { _tag: "Columns" } satisfies InputShape,
    empty: new Set(),
    ...context,
  })
  if (typeof parse !== "function") throw new Error(`options of ${kind.name}: ${JSON.stringify(parse)}`)
  return parse
}

const settings = { seed: 20_240_501, numRuns: 300 }

const isJson = (value: unknown): boolean => {
  if (Array.isArray(value)) return value.every(isJson)
  if (typeof value === "object" && value !== null) {
    return Object.getPrototypeOf(value) === Object.prototype && Object.values(value).every(isJson)
  }
  return typeof value === "number"
    ? Number.isFinite(value)
    : value === null || ["string", "boolean"].includes(typeof value)
}

/** Tests the rules that every kind obeys. */
export const conforms = ({ kind, options, question, sends, equivalent = [], changed }: Conforming): void => {
  const context = { question }
  const parses = () => options.map((each) => compiled(kind, each, context))
  const valuesOf = (cells: ReadonlyArray<Cell>) =>
    parses().flatMap((parse) => cells.map((cell) => parse([cell])))
      .filter((value): value is Json => value !== undefined && !(value instanceof Fault))

  describe(`${kind.name} obeys the rules for all kinds`, () => {
    it("treats an empty cell as no answer", () => {
      for (const parse of parses()) {
        for (const cell of [null, "", "   ", "\u00A0\t"]) expect(parse([cell])).toBeUndefined()
      }
    })

    it("reports a workbook's error value as an Excel error", () => {
      for (const parse of parses()) expect(parse([new ErrorCell("#N/A")])).toMatchObject({ code: "excel-error" })
    })

    it("sends the expected values, with and without blanks around the cell", () => {
      const parse = compiled(kind, options[0], context)
      for (const [cell, value] of sends) {
        expect(parse([cell]), JSON.stringify(cell)).toEqual(value)
        if (typeof cell === "string") expect(parse([` ${cell}\t`])).toEqual(value)
      }
    })

    it("returns JSON, no answer or a known fault for any cell, and never throws", () => {
      for (const parse of parses()) {
        fc.assert(
          fc.property(anyCell, (cell) => {
            const value = parse([cell])
            if (value instanceof Fault) {
              expect(problemCodes).toContain(value.code)
              expect(value.expected).not.toBe("")
            } else if (value !== undefined) {
              expect(isJson(value)).toBe(true)
              expect(value).not.toBeNull()
              if (kind.sends !== "any") expect(Array.isArray(value) ? "array" : typeof value).toBe(kind.sends)
            }
          }),
          settings,
        )
      }
    })

    it("returns the same value for the same cell, whatever cells it read in between", () => {
      for (const parse of parses()) {
        fc.assert(
          fc.property(anyCell, anyCell, (cell, other) => {
            const first = parse([cell])
            parse([other])
            expect(parse([cell])).toEqual(first)
          }),
          settings,
        )
      }
    })

    it("finds any value equal to itself, even after a round trip through JSON", () => {
      for (
        const value of valuesOf([...sends.map(([cell]) => cell), ...fc.sample(anyCell, { seed: 7, numRuns: 200 })])
      ) {
        expect(kind.compare(value, value)).toEqual({ verdict: "same" })
        expect(kind.compare(value, JSON.parse(JSON.stringify(value)) as Json)).toEqual({ verdict: "same" })
      }
    })

    it("finds a difference between values with different meanings", () => {
      for (const [a, b] of changed) {
        expect(kind.compare(a, b), JSON.stringify([a, b])).toEqual({ verdict: "different" })
        expect(kind.compare(b, a), JSON.stringify([b, a])).toEqual({ verdict: "different" })
      }
    })

    it("says how an equivalent value was normalised", () => {
      for (const [sent, returned] of equivalent) {
        const { normalised, verdict } = kind.compare(sent, returned)
        expect(verdict, JSON.stringify([sent, returned])).toBe("equivalent")
        expect(normalised).toMatch(/\w/)
      }
    })

    it("gives the same verdict if the compared values are swapped", () => {
      fc.assert(
        fc.property(fc.jsonValue({ maxDepth: 2 }), fc.jsonValue({ maxDepth: 2 }), (a, b) => {
          if (a === null || b === null) return
          const one = kind.compare(a as Json, b as Json).verdict
          const other = kind.compare(b as Json, a as Json).verdict
          // Only checked for values of the same type, because only returned values may have a type that the kind
          // doesn't send.
          if (typeof a === typeof b && Array.isArray(a) === Array.isArray(b)) {
            expect(one === "different").toBe(other === "different")
          }
        }),
        settings,
      )
    })
  })
}
