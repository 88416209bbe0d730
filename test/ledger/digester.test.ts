import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createHmac } from "node:crypto"
import type { Json } from "../../src/domain/json.ts"
import { makeDigester } from "../../src/ledger/secret.ts"

const secret = "0123456789abcdef".repeat(4)
const digest = makeDigester(secret)

describe("digests of the ledger", () => {
  it("digests are HMAC-SHA256 under the secret, truncated to 16 bytes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (key) => {
        const expected = createHmac("sha256", secret).update(`k${key}`).digest().subarray(0, 16)
        expect(digest.key(key).equals(expected)).toBe(true)
      }),
      { seed: 1 },
    )
  })

  it("digests of repeated values are the same with and without caching, however many there are", () => {
    const values: ReadonlyArray<Json> = Array.from(
      { length: 5_000 },
      (_, index) => (index % 2 === 0 ? index : `${index}`),
    )
    for (const value of [...values, ...values.toReversed()]) {
      const expected = createHmac("sha256", secret).update(`v${JSON.stringify(value)}`).digest().subarray(0, 16)
      expect(digest.value(value).equals(expected)).toBe(true)
    }
  })

  it("digests differ for keys, contents and values with the same text, and under a different secret", () => {
    const other = makeDigester("f".repeat(64))
    const all = [digest.key("1:a"), digest.content(["a"]), digest.value("a"), other.key("1:a")].map((one) =>
      one.toString("hex")
    )
    expect(new Set(all).size).toBe(4)
  })

  it("the digest of a row's content depends on where one cell ends and the next begins", () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (a, b) => {
        const same = a.length === b.length && a.every((cell, index) => cell === b[index])
        expect(digest.content(a).equals(digest.content(b))).toBe(same)
      }),
      { seed: 2 },
    )
    expect(digest.content(["ab", ""]).equals(digest.content(["a", "b"]))).toBe(false)
  })

  it("the digest of a value does not depend on the order of its members", () => {
    const reversed = (value: Json): Json =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === "object" && value !== null
        ? Object.fromEntries(Object.entries(value).reverse().map(([name, member]) => [name, reversed(member)]))
        : value
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.parse(JSON.stringify(value)) as Json
        expect(digest.value(reversed(json)).equals(digest.value(json))).toBe(true)
      }),
      { seed: 3 },
    )
  })

  it("a string that is not a secret can't be used to make a digester", () => {
    expect(() => makeDigester("short")).toThrow("64 hexadecimal")
  })
})
