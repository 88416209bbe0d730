import { expect, it } from "vitest"
import { Line } from "../../src/service/Line.ts"

it("a line is left from its front, and from anywhere by who gives up, once", () => {
  const line = new Line<string>()
  for (const one of ["a", "b", "c", "d"]) line.join(one)
  expect([line.leave("b"), line.leave("b"), line.leave("z")]).toEqual([true, false, false])
  expect(line.first).toBe("a")
  expect([line.next(), line.next()]).toEqual(["a", "c"])
  expect(line.length).toBe(1)
  expect([line.next(), line.next(), line.first]).toEqual(["d", undefined, undefined])
})
