import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { createServer, request as httpRequest } from "node:http"
import type { AddressInfo } from "node:net"
import { bench, csv, pipelineYaml, upTo } from "./contacts.ts"

const pipeline = pipelineYaml({
  sink: "service: live\n  form: contacts\n  canary: off\n  concurrency: 1\n  stamp: { urlParameter: row_key }",
  more: "reconcile: { visibleWithin: 1 seconds }\n",
})

/** A bench whose service loses the answers to these creates (from 1) on their way: they arrive, and nobody hears of it. */
const losing = (...lost: ReadonlyArray<number>) =>
  Effect.gen(function*() {
    const at = yield* bench()
    const upstream = new URL(/baseUrl: (\S+)/.exec(at.read("config/formferry.yaml"))?.[1] ?? "")
    let creates = 0
    const gate = yield* Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((incoming, outgoing) => {
          const { headers, method, url } = incoming
          const drops = method === "POST" && lost.includes(++creates)
          const forward = httpRequest(
            {
              host: upstream.hostname,
              port: upstream.port,
              path: url,
              method,
              headers: { ...headers, host: upstream.host },
            },
            (answer) => {
              if (drops) {
                answer.resume()
                outgoing.destroy()
                return
              }
              outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
              answer.pipe(outgoing)
            },
          )
          incoming.pipe(forward)
        }).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        }),
    )
    const { port } = gate.address() as AddressInfo
    at.write("config/formferry.yaml", at.read("config/formferry.yaml").replaceAll(upstream.host, `127.0.0.1:${port}`))
    at.write("pipelines/contacts.yaml", pipeline)
    /** The CSV that the service's results page offers, as a person downloads it. */
    const download = (file: string) =>
      Effect.promise(async () => at.write(file, await (await fetch(`${at.results}/contacts/csv`)).text()))
    return { ...at, download }
  })

it.scopedLive("rows in doubt are settled from the download of the results page, by their stamp, and the next run proves them", () =>
  Effect.gen(function*() {
    const at = yield* losing(2)
    at.write("source.csv", csv(upTo(30)))
    const first = yield* at.run("run", "contacts")
    expect(first.status, first.stdout + first.stderr).toBe(4)
    expect(at.report().rows).toMatchObject({ imported: 20, inDoubt: 10 })
    expect((yield* at.run("settle", "contacts", "--results", "missing.csv")).status).toBe(2)

    yield* at.download("results.csv")
    const settled = yield* at.run("settle", "contacts", "--results", "results.csv")
    expect(settled.status, settled.stdout + settled.stderr).toBe(0)
    expect(settled.stdout).toContain("10 rows landed, nothing is left in doubt.")
    expect(settled.stdout).toContain("results.csv: 30 submissions")

    const next = yield* at.run("run", "contacts")
    expect(next.status, next.stdout + next.stderr).toBe(0)
    expect(at.report().rows).toMatchObject({ alreadyImported: 30, imported: 0 })
    expect(at.report().settled).toMatchObject([{ landed: 10, notLanded: 0, file: { name: "results.csv" } }])
    expect(at.read(`reports/contacts/latest/report.html`)).toContain("How rows in doubt were settled")
    const status = yield* at.run("status", "contacts", "--json", "--verify")
    expect(JSON.parse(status.stdout)).toMatchObject({
      damage: [],
      pipelines: [{ standing: { imported: 30, inDoubt: 0, verdicts: { verified: 30 } } }],
    })
    expect(at.count()).toBe(30)
  }))

it.scopedLive("what an export can't tell stays in doubt with 4 and a next command; a person's word settles it", () =>
  Effect.gen(function*() {
    const at = yield* losing(1)
    at.write("source.csv", csv(upTo(10)))
    expect((yield* at.run("run", "contacts")).status).toBe(4)
    yield* at.download("results.csv")
    // An export of another form's questions, as far as row 3 goes: its stamp is gone and its name is another.
    const lines = at.read("results.csv").split("\r\n")
    at.write(
      "results.csv",
      lines.map((line) => line.includes("Person 3,") ? line.replace(/,3$/, ",") : line).map((line) =>
        line.replace("Person 3,", "Person Three,")
      ).join("\r\n"),
    )
    const settled = yield* at.run("settle", "contacts", "--results", "results.csv", "--json")
    expect(settled.status, settled.stdout + settled.stderr).toBe(4)
    const result = JSON.parse(settled.stdout)
    expect(result).toMatchObject({ landed: 9, notLanded: 0, left: 1, wants: "a person" })
    expect(result.rows.find((row: { readonly key: string }) => row.key === "3")).toMatchObject({ outcome: "in doubt" })
    expect(settled.lastLine).toContain("formferry acknowledge contacts --rows 3 --because")

    for (
      const wrong of [
        ["settle", "contacts", "--as", "landed", "--rows", "3"],
        ["settle", "contacts", "--as", "landed", "--because", "seen"],
        ["settle", "contacts", "--results", "results.csv", "--complete"],
        ["settle", "contacts", "--as", "landed", "--all", "--because", "seen", "--complete"],
      ]
    ) {
      expect((yield* at.run(...wrong)).status, wrong.join(" ")).toBe(2)
    }
    const byHand = yield* at.run("settle", "contacts", "--as", "landed", "--rows", "3", "--because", "seen")
    expect(byHand.status, byHand.stderr).toBe(0)
    expect((yield* at.run("settle", "contacts", "--results", "results.csv")).stdout).toContain(
      "No row of contacts is in doubt",
    )
    const next = yield* at.run("run", "contacts")
    expect(next.status, next.stdout + next.stderr).toBe(0)
    expect(at.count()).toBe(10)
  }))
