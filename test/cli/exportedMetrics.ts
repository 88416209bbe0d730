interface DataPoint {
  readonly attributes: ReadonlyArray<{ readonly key: string; readonly value: { readonly stringValue: string } }>
  readonly asDouble?: number
  readonly asInt?: number
  readonly count?: number
}

/** An exported value of a metric. */
export interface Point {
  readonly name: string
  readonly tags: Readonly<Record<string, string>>
  readonly value: number
}

/** Returns all values in the bodies of exports of metrics, in order. The value of a histogram is its count. */
export const pointsOf = (bodies: ReadonlyArray<string>): ReadonlyArray<Point> => {
  const points: Array<Point> = []
  for (const body of bodies) {
    for (const { metrics } of JSON.parse(body).resourceMetrics[0].scopeMetrics) {
      for (const { gauge, histogram, name, sum } of metrics) {
        for (
          const { asDouble, asInt, attributes, count } of (sum ?? gauge ?? histogram).dataPoints as Array<DataPoint>
        ) {
          const tags = Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]))
          points.push({ name, tags, value: count ?? asDouble ?? asInt ?? NaN })
        }
      }
    }
  }
  return points
}
