import fc from "fast-check"
import { type Cell, DateCell, ErrorCell, JsonCell } from "../../src/domain/cell.ts"
import type { Json } from "../../src/domain/json.ts"

/** Draws any cell that a source can have: texts of all sorts, typed cells, errors and nested values. */
export const anyCell: fc.Arbitrary<Cell> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom(
    "",
    "  ",
    "1,5",
    "1.234,50 €",
    "-5 EUR",
    "1e400",
    "31.02.1990",
    "2024-02-29",
    "2024-02-30",
    "2024-03-31T02:30",
    "2024-01-01T00:00:00Z",
    "24:00",
    "12:30",
    "ada@example.org",
    "+49 30 123456",
    "https://example.org/a,b",
    "Red",
    "red , GREEN",
    '{"a":[1,null]}',
    "null",
    "true",
    "0",
    "__proto__",
  ),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("2024-05-01", "08:30:00", "2024-05-01T08:30:00", "2024-05-01T00:00:00", "1900-01-00", "nonsense")
    .map((iso) => new DateCell(iso)),
  fc.constantFrom("#N/A", "#REF!").map((code) => new ErrorCell(code)),
  fc.jsonValue({ maxDepth: 3 }).map((value) => new JsonCell(value as Json)),
)
