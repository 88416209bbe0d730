import { join } from "node:path"
import { measure } from "./measured.ts"
import { embedded, writeProject } from "./project.ts"
import { command, companion, failed, reported, seed, type Target, told } from "./Target.ts"
import { writeWorkbook } from "./workbook.ts"

/** Targets for workbooks and for the start of a command. */
export const others: ReadonlyArray<Target> = [
  {
    name: "workbook",
    title: "dry run of a workbook, 200k rows × 12",
    beside: "read-excel-file alone",
    by: "times",
    of: "seconds",
    atMost: 1.5,
    peak: 400,
    open: async (root) => {
      const rows = 200_000
      writeProject(root, { service: embedded, file: "source.xlsx", born: "" })
      const file = join(root, "source.xlsx")
      writeWorkbook(file, rows, seed)
      return {
        ours: async () => {
          const measured = await measure([command, "run", "bench", "--dry-run", "--json"], root)
          reported(measured, { read: rows, pending: rows })
          return measured
        },
        beside: async () => told(await measure([companion("readWorkbook.mjs"), file], process.cwd()), rows + 1),
      }
    },
  },
  {
    name: "help",
    title: "formferry --help",
    beside: "node -e 0",
    by: "over",
    of: "seconds",
    atMost: 0.3,
    open: async (root) => ({
      ours: async () => {
        const measured = await measure([command, "--help"], root)
        if (measured.exitCode !== 0 || !measured.stdout.includes("formferry")) throw failed(measured, "no help")
        return measured
      },
      beside: () => measure(["-e", "0"], root),
    }),
  },
]
