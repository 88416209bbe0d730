import type { RunReport } from "../domain/run.ts"

/**
 * report.json: the documented fields first and in their order (product.md, "What a run leaves"), then what was added. A field without a value is null, so that every
 * field is always there.
 */
export const reportJson = (report: RunReport, indent = 2): string => {
  const { pipeline, run, mode, form, startedAt, finishedAt, outcome, exitCode, ledger, acknowledged, ...rest } = report
  const { sources, rows, readBack, balance, requests, problems, differences, discarded, ...added } = rest
  const ordered: RunReport = {
    pipeline,
    run,
    mode,
    form,
    startedAt,
    finishedAt,
    outcome,
    exitCode,
    ledger,
    acknowledged,
    sources,
    rows,
    readBack,
    balance,
    requests,
    problems,
    differences,
    discarded,
    ...added,
  }
  return JSON.stringify(ordered, (_, value: unknown) => value ?? null, indent)
}
