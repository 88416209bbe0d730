import { scaleLinear } from "d3-scale"
import { area, curveStepAfter, stack } from "d3-shape"
import type { Pace, RunReport } from "../../domain/run.ts"
import { lasting } from "../span.ts"
import { count, counted } from "../words.ts"
import { html } from "./markup.ts"
import { section } from "./parts.ts"
import type { Part } from "./parts.ts"

const width = 960
const height = 220
const margin = { top: 12, right: 12, bottom: 28, left: 52 }

const kinds = ["create", "read", "metadata"] as const
type Kind = (typeof kinds)[number]

/** Requests per second of each kind, from the beginning of a span; the last one stands for the end. */
interface Point extends Readonly<Record<Kind, number>> {
  readonly at: number
}

const pointsOf = ({ buckets, every }: Pace): ReadonlyArray<Point> => {
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

/** Requests over time, and when the service asked to slow down. */
export const pacePart = (report: RunReport): Part | undefined => {
  const { pace, requests } = report
  if (pace === undefined || pace.buckets.length === 0) return undefined
  const points = pointsOf(pace)
  const layers = stack<unknown, Point, Kind>().keys(kinds)(points)
  const most = Math.max(...points.map((point) => point.create + point.read + point.metadata))
  const length = pace.buckets.length * pace.every
  const x = scaleLinear().domain([0, length]).range([margin.left, width - margin.right])
  const y = scaleLinear().domain([0, most]).nice(4).range([height - margin.bottom, margin.top])
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
        html`<path class="throttled" d="M${x((index + 0.5) * pace.every).toFixed(1)},${margin.top}v${
          height - margin.top - margin.bottom
        }"><title>${counted(bucket.throttled, "answer")} with 429</title></path>
`,
      ]
  )
  const total = requests.create + requests.read + requests.metadata
  const said = `${counted(total, "request")} in ${lasting(length)}, at most ${most.toFixed(1)} per second; ${
    count(requests.retried)
  } repeated, ${count(requests.throttled)} answered with "too many requests"`
  return section(
    "pace",
    "Pace",
    html`<p>${said}.</p>
<div class="wide" tabindex="0" role="group" aria-label="Requests per second over time"><svg class="chart" viewBox="0 0 ${width} ${height}" role="img" aria-label="Requests per second over time: ${said}">
<g class="axis">${
      y.ticks(4).map((tick) =>
        html`<path d="M${margin.left},${y(tick).toFixed(1)}H${width - margin.right}"/><text x="${margin.left - 8}" y="${
          y(tick).toFixed(1)
        }" dy="0.35em" text-anchor="end">${count(tick)}/s</text>
`
      )
    }${
      seconds.ticks(8).map((tick) =>
        html`<text x="${x(tick * 1000).toFixed(1)}" y="${height - 8}" text-anchor="middle">${
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
