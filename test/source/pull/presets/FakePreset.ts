import type { FakeRecord, Received, Sent } from "../fakeTools.ts"

/** A tool's API, written from its documentation and not from the preset, and how a project uses it. */
export interface FakePreset {
  /** The preset's name. */
  readonly api: string
  /** How the connection signs in, in YAML. The secret is in TOOL_TOKEN. */
  readonly signIn: string
  /** The keys of the pipeline's source beside `connection`, in YAML. */
  readonly source: string
  /** The column with the record's name. */
  readonly column: string
  /** Whether a record that is edited can be seen. Default: true. */
  readonly showsEdits?: boolean
  /** The number of requests in which 2,500 records are pulled. */
  readonly requests: number
  readonly answer: (request: Received, store: ReadonlyArray<FakeRecord>) => Sent
}

/** The time at which a record was created, one a minute, or edited, as ISO in UTC with milliseconds. */
export const timeOf = ({ id, isEdited = false }: FakeRecord): string =>
  new Date(Date.UTC(2026, 0, 1, 0, id) + (isEdited ? 30 * 86_400_000 : 0)).toISOString()

export const createdAt = ({ id }: FakeRecord): string => timeOf({ id, name: "" })
