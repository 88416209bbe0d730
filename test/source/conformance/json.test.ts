import { isLong } from "../../long.ts"
import { conforms, type Container } from "../conformance.ts"

const members = ["id", "  Full   name", "__proto__", "a.b", "x y"]
const record = (titles: ReadonlyArray<string>, row: ReadonlyArray<string>) =>
  `{${titles.map((title, at) => `${JSON.stringify(title)}:${JSON.stringify(row[at] ?? "")}`).join(",")}}`
const json = (
  extension: string,
  join: (records: ReadonlyArray<string>) => string,
  said: Container["said"] = {},
): Container => ({
  extension,
  said,
  streamed: true,
  header: members,
  // A table without rows needs a record with empty members, because members exist only in records.
  write: ([titles = [], ...rows]) =>
    Buffer.from(join((rows.length === 0 ? [[]] : rows).map((row) => record(titles, row)))),
})

conforms("JSON", json("json", (records) => `[${records.join(",\n")}]`))
if (isLong) {
  conforms(
    "JSON with its records at a place",
    json("json", (records) => `{"meta":{"n":[1]},"items":[${records.join(",")}]}`, { records: "/items" }),
  )
}
conforms("JSON lines", json("jsonl", (records) => `${records.join("\n")}\n`))
