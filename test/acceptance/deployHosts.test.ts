import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { describe } from "vitest"
import { cronFault } from "../../src/project/cron.ts"
import { isLong } from "../long.ts"
import { deployed, read, repository, serviceStarts, unit } from "./deployed.ts"

/** The directives that the units use, according to systemd.unit(5), .service(5), .timer(5), .exec(5) and .kill(5). */
const directives: Readonly<Record<string, ReadonlyArray<string>>> = {
  Unit: ["Description", "Documentation", "Wants", "After"],
  Service: (
    "Type ExecStart Restart RestartSec RestartPreventExitStatus SuccessExitStatus TimeoutStartSec TimeoutStopSec KillSignal User Group WorkingDirectory "
    + "UMask NoNewPrivileges PrivateTmp ProtectSystem ProtectHome ReadWritePaths"
  ).split(" "),
  Timer: ["OnCalendar", "AccuracySec", "Persistent"],
  Install: ["WantedBy"],
}

const units = ["formferry.service", "formferry.timer", "formferry-schedule.service"]
const analyzer = spawnSync("systemd-analyze", ["--version"]).status === 0

describe("systemd units", () => {
  it("the systemd units use only existing directives, and their Documentation points to a file in the package", () => {
    for (const name of units) {
      for (const { key, section, value } of unit(read(name))) {
        expect(directives[section], `${name} ${key}`).toContain(key)
        if (key !== "Documentation") continue
        const page = value.replace("file:/opt/formferry/lib/node_modules/formferry/", "")
        expect(existsSync(join(repository, page)), value).toBe(true)
      }
    }
  })

  it.scopedLive(
    analyzer
      ? "the units pass `systemd-analyze verify`, and it finds a planted mistake"
      : "the units were not verified by systemd-analyze: it is not installed here",
    () =>
      Effect.gen(function*() {
        if (!analyzer) return
        const at = yield* deployed
        const verify = (change: (text: string) => string) => {
          for (const name of units) {
            at.write(`units/${name}`, change(at.here(read(name)).replaceAll("/opt/formferry", at.folder)))
          }
          return spawnSync("systemd-analyze", [
            "verify",
            "--man=no",
            ...units.map((name) => join(at.folder, "units", name)),
          ], {
            encoding: "utf8",
            env: { ...process.env, SYSTEMD_LOG_LEVEL: "warning" },
          })
        }
        const mine = (text: string) => text.split("\n").filter((line) => line.includes("formferry"))
        const sound = verify((text) => text)
        expect(mine(sound.stdout + sound.stderr)).toEqual([])
        const planted = verify((text) => text.replace("Type=oneshot", "Type=onceshot").replace("*:0/15", "*:0/99x"))
        expect(mine(planted.stdout + planted.stderr).join("\n")).toMatch(/onceshot|Type/)
      }),
  )

  it.scopedLive("the systemd service starts a command that runs due pipelines", () =>
    Effect.gen(function*() {
      const at = yield* deployed
      const [program, ...args] = serviceStarts.split(" ")
      expect(program).toBe("/opt/formferry/bin/formferry")
      const ran = yield* at.run(...args.map(at.here))
      expect(ran.status, ran.stderr).toBe(0)
      expect(at.count()).toBe(5)
      // The continuous service has the same arguments, without --once.
      const goesOn = unit(read("formferry-schedule.service")).find(({ key }) => key === "ExecStart")?.value
      expect(goesOn).toBe(serviceStarts.replace(" --once", ""))
    }))
})

it.scopedLive.runIf(isLong)(
  "the cron library accepts the times in crontab, and the commands run",
  () =>
    Effect.gen(function*() {
      const at = yield* deployed
      const lines = read("crontab").split("\n").filter((line) => /^[\d*]/.test(line))
      expect(lines).toHaveLength(2)
      for (const line of lines) {
        const [, times = "", command = ""] = /^((?:\S+ ){4}\S+) (.*)$/.exec(line) ?? []
        expect(cronFault(times), times).toBeUndefined()
        // cron treats % as a line end.
        expect(command).not.toContain("%")
        const { status, text } = yield* at.shell(command)
        expect(text).toBe("")
        expect(status).toBe(0)
      }
      expect(at.count()).toBe(5)
      // A failure is printed, so that cron sends it by mail. A pipeline that is still running is not a failure.
      const busy = lines[0]?.split(" ").slice(5).join(" ").replace(/formferry schedule[^>]*/, "sh -c 'exit 6' ") ?? ""
      expect((yield* at.shell(busy)).text).toBe("")
      at.write("pipelines/contacts.yaml", "nonsense")
      expect((yield* at.shell(lines[0]?.split(" ").slice(5).join(" ") ?? "")).text).toMatch(
        /^formferry exited with code 2: see/,
      )
    }),
)
