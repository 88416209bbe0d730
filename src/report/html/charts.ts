import { sankey, sankeyLeft, sankeyLinkHorizontal } from "d3-sankey"
import { scaleLinear } from "d3-scale"
import { area, curveStepAfter, stack } from "d3-shape"
import { fates, fateWords, submissionsIn, verdicts, verdictWords } from "../../domain/fate.ts"
import type { PaceOverTime, RunReport } from "../../domain/report.ts"
import { lasting } from "../../domain/times.ts"
import { count, counted, type Tone } from "../../domain/words.ts"
import { html, type Markup, type Section, section } from "./markup.ts"

/** The width of both charts. */
const width = 960

interface Station {
  readonly id: string
  readonly title: string
  readonly tone: Tone
}

interface Flow {
  readonly source: string
  readonly target: string
  readonly value: number
  readonly tone: Tone
}

const nodeWidth = 12
/** The distance between nodes, which leaves space for a label next to a small node. */
const distance = 26
const flowMargin = { top: 14, bottom: 14, right: 190, left: 2 }

/** The maximum number of files with a separate node. If there are more, one node shows all files. */
const mostSources = 8

const stations = (
  report: RunReport,
): { readonly nodes: ReadonlyArray<Station>; readonly links: ReadonlyArray<Flow> } => {
  const nodes: Array<Station> = []
  const links: Array<Flow> = []
  const read = report.rows.read
  const submissions = submissionsIn(report.readBack)
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
 * Shows the balance as a picture: every row that was read flows to its fate, and every submission to its verdict. d3-sankey calculates the layout. The picture contains no styles. The table next to it
 * shows the same in words.
 */
export const flow = (report: RunReport): Markup | undefined => {
  const { links, nodes } = stations(report)
  if (links.length === 0) return undefined
  const height = Math.max(220, nodes.length * 34)
  const layout = sankey<Station, Flow>()
    .nodeId((node) => node.id)
    .nodeAlign(sankeyLeft)
    .nodeWidth(nodeWidth)
    .nodePadding(distance)
    // Nodes keep the given order, so the first one is at the top.
    .nodeSort(() => 0)
    .linkSort(null)
    .extent([[flowMargin.left, flowMargin.top], [width - flowMargin.right, height - flowMargin.bottom]])
  const graph = layout({ nodes: nodes.map((node) => ({ ...node })), links: links.map((link) => ({ ...link })) })
  const path = sankeyLinkHorizontal<Station, Flow>()
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

const paceHeight = 220
const paceMargin = { top: 12, right: 12, bottom: 28, left: 52 }

const kinds = ["create", "read", "metadata"] as const
type Kind = (typeof kinds)[number]

/** The requests per second of each kind, from the start of a span. The last point marks the end. */
interface Point extends Readonly<Record<Kind, number>> {
  readonly at: number
}

const pointsOf = ({ buckets, every }: PaceOverTime): ReadonlyArray<Point> => {
  const perSecond = (value: number) => (value * 1000) / every
  const points = buckets.map((bucket, index): Point => ({
    at: index * every,
    create: perSecond(bucket.create),
    read: perSecond(bucket.read),
    metadata: perSecond(bucket.metadata),
  }))
  const last = points.at(-1)
  return last === undefined ? [] : [...points, { ...last, at: buckets.length * every }]
}

/** Shows requests over time, with the times at which the service asked to slow down. */
export const paceSection = (report: RunReport): Section | undefined => {
  const { pace, requests } = report
  if (pace === undefined || pace.buckets.length === 0) return undefined
  const points = pointsOf(pace)
  const layers = stack<unknown, Point, Kind>().keys(kinds)(points)
  const highest = Math.max(...points.map((point) => point.create + point.read + point.metadata))
  const length = pace.buckets.length * pace.every
  const x = scaleLinear().domain([0, length]).range([paceMargin.left, width - paceMargin.right])
  const y = scaleLinear().domain([0, highest]).nice(4).range([paceHeight - paceMargin.bottom, paceMargin.top])
  const shape = area<(typeof layers)[number][number]>()
    .x((point) => x(point.data.at))
    .y0((point) => y(point[0]))
    .y1((point) => y(point[1]))
    .curve(curveStepAfter)
    .digits(1)
  const seconds = scaleLinear().domain([0, length / 1000])
  const throttled = pace.buckets.flatMap((bucket, index) =>
    bucket.throttled === 0
      ? []
      : [
        html`<path class="throttled" d="M${x((index + 0.5) * pace.every).toFixed(1)},${paceMargin.top}v${
          paceHeight - paceMargin.top - paceMargin.bottom
        }"><title>${counted(bucket.throttled, "answer")} with 429</title></path>
`,
      ]
  )
  const total = requests.create + requests.read + requests.metadata
  const said = `${counted(total, "request")}, at most ${highest.toFixed(1)} per second; ${
    count(requests.retried)
  } retried, ${count(requests.throttled)} answered with "too many requests"`
  return section(
    "pace",
    "Pace",
    html`<p>${said}.</p>
<div class="wide" tabindex="0" role="group" aria-label="Requests per second over time"><svg class="chart" viewBox="0 0 ${width} ${paceHeight}" role="img" aria-label="Requests per second over time: ${said}">
<g class="axis">${
      y.ticks(4).map((tick) =>
        html`<path d="M${paceMargin.left},${y(tick).toFixed(1)}H${width - paceMargin.right}"/><text x="${
          paceMargin.left - 8
        }" y="${y(tick).toFixed(1)}" dy="0.35em" text-anchor="end">${count(tick)}/s</text>
`
      )
    }${
      seconds.ticks(8).map((tick) =>
        html`<text x="${x(tick * 1000).toFixed(1)}" y="${paceHeight - 8}" text-anchor="middle">${
          tick === 0 ? "0" : lasting(tick * 1000)
        }</text>
`
      )
    }</g>
${
      layers.map((layer) =>
        html`<path class="series-${layer.key}" d="${shape(layer) ?? ""}"/>
`
      )
    }${throttled}</svg></div>
<ul class="legend"><li class="key-create">create</li><li class="key-read">read back</li><li class="key-metadata">metadata</li>${
      throttled.length > 0 && html`<li class="key-throttled">too many requests (429)</li>`
    }</ul>
`,
  )
}
