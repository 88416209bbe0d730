import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { keyFileOf, password, pem, signingIn, signIns } from "../source/pull/fakeSignIns.ts"
import { records, startTools } from "../source/pull/fakeTools.ts"
import { bench } from "./contacts.ts"

/** The contents of all files that the commands wrote: the ledger, and the reports. */
const written = (folder: string): string =>
  [".formferry", "reports"].flatMap((name) =>
    readdirSync(join(folder, name), { recursive: true, encoding: "utf8" })
      .map((file) => join(folder, name, file))
      .filter((file) => statSync(file).isFile())
      .map((file) => readFileSync(file, "latin1"))
  ).join("\n")

it.scopedLive.each(Object.entries(signIns))(
  "records are imported with a sign-in by %s, and no secret is written or shown",
  ([, { auth, source }]) =>
    Effect.gen(function*() {
      const { answer, limits } = signingIn()
      const tools = yield* Effect.acquireRelease(
        Effect.promise(() => startTools(answer)),
        (tools) => Effect.sync(tools.stop),
      )
      tools.store = records(1, 60)
      const at = yield* bench()
      at.write(
        "config/formferry.yaml",
        `${at.read("config/formferry.yaml")}
connections:
  tool: { base: "${tools.base}", auth: ${auth}, requestsPerSecond: 100 }
`,
      )
      at.write(".env", `PASSWORD=${password}\n`)
      at.write("config/key.json", keyFileOf(tools.base))
      at.write(
        "pipelines/contacts.yaml",
        `pipeline: contacts
source:
  connection: tool
  ${source}
  rowKey: [id]
mapping:
  questions: [{ name: Name, from: name, required: true }]
  ignoreQuestions: [E-mail, Born]
sink: { service: live, form: contacts }
`,
      )
      const debug = ["--log-level", "debug"]
      const check = yield* at.exits(0, "check", "contacts", ...debug)
      const run = yield* at.exits(0, "run", "contacts", ...debug)
      expect(at.count()).toBe(60)
      limits.uses = 0
      const refused = yield* at.exits(5, "run", "contacts", ...debug)
      expect(refused.stderr).toContain("refused the sign-in (401)")

      const all = [check, run, refused].flatMap(({ stderr, stdout }) => [stdout, stderr]).join("\n")
        + written(at.folder)
      // Tokens and the password begin with tok_, and signatures with the header of a JSON Web Token.
      for (const secret of ["tok_", "eyJ", pem.split("\n")[1] ?? "", "import@project.iam"]) {
        expect(all).not.toContain(secret)
      }
    }),
)
