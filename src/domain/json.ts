/** Any JSON value, as the service sends and takes it. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject

export interface JsonObject {
  readonly [member: string]: Json
}

/** Whether a value has lists or objects within one another beyond so many. Goes no deeper than that, so that no value can exhaust the stack. */
export const deeperThan = (value: Json, depth: number): boolean =>
  typeof value === "object" && value !== null
  && (depth === 0 || Object.values(value).some((each) => deeperThan(each as Json, depth - 1)))
