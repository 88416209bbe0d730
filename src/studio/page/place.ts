/** The views of a pipeline, as they are called in addresses. */
export const pipelineViews = ["map", "run", "results"] as const

/** Returns the address of a view of a pipeline, or of one of its runs. */
export const addressOf = (view: (typeof pipelineViews)[number], ...parts: ReadonlyArray<string>): string =>
  ["#", view, ...parts.map(encodeURIComponent)].join("/")

/** Returns the address of a run's report. */
export const reportOf = (pipeline: string, run: string): string =>
  `/reports/${encodeURIComponent(pipeline)}/${encodeURIComponent(run)}/report.html`
