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
  /** Answers that say why access is refused, as the documentation describes them, and a part of the message. */
  readonly refusals?: ReadonlyArray<readonly [why: string, answer: Sent, message: string]>
  /** Keys of the source that make pages of 100 records, if a record that is deleted moves others to a different page. */
  readonly movingPages?: string
  readonly answer: (request: Received, store: ReadonlyArray<FakeRecord>) => Sent
}

/** Returns a refusal if the documentation doesn't name one of the parameters or its value. */
export const unknownIn = (
  given: URLSearchParams,
  known: Readonly<Record<string, RegExp>>,
): Sent | undefined =>
  [...given].every(([name, value]) => known[name]?.test(value) === true)
    ? undefined
    : { status: 400, body: { message: "unknown parameter" } }

/** Whole numbers, times, and any text, as values of parameters. */
export const whole = /^\d+$/
export const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/
export const anyText = /./

/** The time at which a record was created, one a minute, or edited, as ISO in UTC with milliseconds. */
export const timeOf = ({ at, id, isEdited = false }: FakeRecord): string =>
  new Date(at ?? Date.UTC(2026, 0, 1, 0, id) + (isEdited ? 30 * 86_400_000 : 0)).toISOString()

export const createdAt = (record: FakeRecord): string => timeOf({ ...record, isEdited: false })
