import { number, refused, token } from "../fakeTools.ts"
import { anyText, createdAt, type FakePreset, unknownIn, whole } from "./FakePreset.ts"

/** Airtable: `pageSize` (100 at most), an opaque `offset`, and no member for an empty cell. */
export const airtable: FakePreset = {
  api: "airtable",
  signIn: "token: { env: TOOL_TOKEN }",
  source: "variables: { base: appAbC123, table: tblDeF456 }",
  column: "Full name",
  // The tables of the base, too.
  requests: 26,
  answer: ({ headers, url }, store) => {
    if (headers.authorization !== `Bearer ${token}`) return refused
    if (url.pathname === "/meta/bases/appAbC123/tables") {
      const fields = (...names: ReadonlyArray<string>) => names.map((name) => ({ id: `fld${name}`, name }))
      return {
        body: {
          tables: [
            { id: "tblOther", name: "Prices", fields: fields("Product", "Price") },
            { id: "tblDeF456", name: "People", fields: fields("Full name", "Agreed", "Comment") },
          ],
        },
      }
    }
    if (url.pathname !== "/appAbC123/tblDeF456") return { status: 403, body: { error: { type: "NOT_FOUND" } } }
    const unknown = unknownIn(url.searchParams, {
      pageSize: whole,
      offset: anyText,
      view: anyText,
      filterByFormula: anyText,
    })
    if (unknown !== undefined) return unknown
    const offset = url.searchParams.get("offset")
    const last = offset === null ? 0 : Number(/^itr\/rec(\d+)$/.exec(offset)?.[1])
    if (!(last >= 0)) return { status: 422, body: { error: { type: "LIST_RECORDS_ITERATOR_NOT_AVAILABLE" } } }
    const rest = store.filter(({ id }) => id > last)
    const page = rest.slice(0, Math.min(100, number(url, "pageSize", 100)))
    return {
      body: {
        records: page.map((record) => ({
          id: `rec${record.id}`,
          createdTime: createdAt(record),
          fields: { "Full name": record.name, ...(record.id % 2 === 0 && { Agreed: true }) },
        })),
        ...(page.length < rest.length && { offset: `itr/rec${page.at(-1)?.id}` }),
      },
    }
  },
}
