import { sankey, sankeyLeft, sankeyLinkHorizontal } from "d3-sankey"
import { fates, verdicts } from "../../domain/fate.ts"
import type { RunReport } from "../../domain/run.ts"
import { count, fateWords, verdictWords } from "../words.ts"
import type { Tone } from "../words.ts"
import { html } from "./markup.ts"
import type { Markup } from "./markup.ts"

interface Station {
  readonly id: string
  readonly title: string
  readonly tone: Tone
}

interface Stream {
  readonly source: string
  readonly target: string
  readonly value: number
  readonly tone: Tone
}

const width = 960
const nodeWidth = 12
/** Room for a label beside each station, also beside one that is a hair's breadth high. */
const distance = 26
const margin = { top: 14, bottom: 14, right: 190, left: 2 }

/** More files than these are one station. */
const mostSources = 8

const stations = (
  report: RunReport,
): { readonly nodes: ReadonlyArray<Station>; readonly links: ReadonlyArray<Stream> } => {
  const nodes: Array<Station> = []
  const links: Array<Stream> = []
  const read = report.rows.read
  const submissions = verdicts.reduce((sum, verdict) => sum + report.readBack[verdict], 0)
  if (read > 0) {
    const files = report.sources.filter((source) => source.rows > 0)
    const known = files.reduce((sum, source) => sum + source.rows, 0) === read
    if (known && files.length > 1 && files.length <= mostSources) {
      files.forEach((source, index) => {
        const title = source.file.split(/[/\\]/).at(-1) ?? source.file
        nodes.push({ id: `file ${index}`, title, tone: "calm" })
        links.push({ source: `file ${index}`, target: "read", value: source.rows, tone: "calm" })
      })
    }
    nodes.push({ id: "read", title: "read", tone: "calm" })
    for (const fate of fates.toReversed()) {
      const value = report.rows[fate]
      if (value === 0) continue
      nodes.push({ id: fate, ...fateWords[fate] })
      links.push({ source: "read", target: fate, value, tone: fateWords[fate].tone })
    }
  } else if (submissions > 0) nodes.push({ id: "imported", title: "submissions", tone: "calm" })
  for (const verdict of verdicts) {
    const value = report.readBack[verdict]
    if (value === 0 || !nodes.some((node) => node.id === "imported")) continue
    nodes.push({ id: verdict, ...verdictWords[verdict] })
    links.push({ source: "imported", target: verdict, value, tone: verdictWords[verdict].tone })
  }
  return { nodes, links }
}

/**
 * The balance as a picture: every row that was read flows to its fate, and every submission to what reading back showed. Laid out by d3-sankey, drawn
 * without styles of its own. The table beside it says the same in words.
 */
export const flow = (report: RunReport): Markup | undefined => {
  const { links, nodes } = stations(report)
  if (links.length === 0) return undefined
  const height = Math.max(220, nodes.length * 34)
  const layout = sankey<Station, Stream>()
    .nodeId((node) => node.id)
    .nodeAlign(sankeyLeft)
    .nodeWidth(nodeWidth)
    .nodePadding(distance)
    // As given: what was reached first is on top.
    .nodeSort(() => 0)
    .linkSort(null)
    .extent([[margin.left, margin.top], [width - margin.right, height - margin.bottom]])
  const graph = layout({ nodes: nodes.map((node) => ({ ...node })), links: links.map((link) => ({ ...link })) })
  const path = sankeyLinkHorizontal<Station, Stream>()
  const drawnLinks = graph.links.map((link) =>
    html`<path class="flow ${link.tone}" d="${path(link) ?? ""}" stroke-width="${
      Math.max(link.width ?? 0, 1.5).toFixed(1)
    }"/>
`
  )
  const drawnNodes = graph.nodes.map((node) => {
    const { x0 = 0, x1 = 0, y0 = 0, y1 = 0, title, tone, value = 0 } = node
    const middle = (y0 + y1) / 2
    return html`<rect class="${tone}" x="${x0.toFixed(1)}" y="${
      Math.min(y0, middle - 1).toFixed(1)
    }" width="${nodeWidth}" height="${Math.max(y1 - y0, 2).toFixed(1)}"/>
<text x="${(x1 + 8).toFixed(1)}" y="${
      middle.toFixed(1)
    }" dy="0.35em"><tspan class="name">${title}</tspan> <tspan class="figure">${count(value)}</tspan></text>
`
  })
  const said = links.map((link) => {
    const title = (id: string) => nodes.find((node) => node.id === id)?.title ?? id
    return `${count(link.value)} ${title(link.source)} to ${title(link.target)}`
  })
  return html`<div class="wide" tabindex="0" role="group" aria-label="The balance as a picture"><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="${
    said.join("; ")
  }">
<g>${drawnLinks}</g>
<g>${drawnNodes}</g>
</svg></div>
`
}
