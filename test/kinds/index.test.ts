import { JSONSchema, Schema } from "effect"
import { describe, expect, it } from "vitest"
import { paymentParts, schedulingParts } from "../../src/kinds/elements.ts"
import { kindNames, kindOfType, kinds } from "../../src/kinds/index.ts"

describe("the list of kinds", () => {
  it("the list of kinds contains each name once, and the kind of every part and element", () => {
    expect(new Set(kindNames).size).toBe(kindNames.length)
    const parts = [...kinds.values()].flatMap((kind) => Object.values(kind.parts ?? {}))
    const elements = [...Object.values(schedulingParts), ...Object.values(paymentParts)].map((part) => part.kind)
    for (const name of [...parts, ...elements]) expect(kindNames).toContain(name)
  })

  it("the list of kinds has at most one default kind for each question type", () => {
    const types = [...kinds.values()].flatMap((kind) => kind.types)
    expect(new Set(types).size).toBe(types.length)
    expect(kindOfType("DatePicker")?.name).toBe("date")
    expect(kindOfType("Matrix")?.name).toBe("matrix")
    expect(kindOfType("Table")).toBeUndefined()
  })

  it("every option of a kind has a description and an example", () => {
    for (const kind of kinds.values()) {
      expect(kind.description).not.toBe("")
      const schema = JSONSchema.make(Schema.Struct(kind.options)) as unknown as {
        readonly required?: ReadonlyArray<string>
        readonly properties?: Readonly<
          Record<string, { readonly description?: string; readonly examples?: ReadonlyArray<unknown> }>
        >
      }
      expect(schema.required ?? []).toEqual([])
      for (const [option, { description, examples }] of Object.entries(schema.properties ?? {})) {
        expect(description, `${kind.name}.${option}`).toMatch(/\w/)
        for (const example of examples ?? []) {
          expect(() =>
            Schema.decodeUnknownSync(Schema.Struct(kind.options) as unknown as Schema.Schema<unknown>)({
              [option]: example,
            })
          ).not
            .toThrow()
        }
        expect(examples?.length, `${kind.name}.${option}`).toBeGreaterThan(0)
      }
    }
  })
})
