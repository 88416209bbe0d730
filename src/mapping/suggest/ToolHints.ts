/** What is known of the form tool that wrote a source, as far as suggestions use it. */
export interface ToolHints {
  /** As people write it. */
  readonly title: string
  /** The tool's own columns. */
  readonly meta: ReadonlyArray<{
    readonly position: number
    readonly role: string
    readonly format?: string | ReadonlyArray<string>
    readonly zone?: string
  }>
  /** By position: the question as people read it. */
  readonly labels: ReadonlyArray<string>
  /** Names of the columns that know a response again. */
  readonly defaultRowKey: ReadonlyArray<string> | undefined
}

/** Roles of columns that a respondent filled: they may answer a question too. */
const answers: ReadonlySet<string> = new Set(["email", "name", "url"])

/** Whether a column may answer a question: the tool's own times, ids and addresses may not. */
export const mayAnswer = (tool: ToolHints | undefined, position: number): boolean => {
  const own = tool?.meta.find((column) => column.position === position)
  return own === undefined || answers.has(own.role)
}
