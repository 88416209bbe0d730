/** Something wrong with a configuration file, at an offset of its text. */
export interface Finding {
  readonly offset: number
  readonly message: string
  readonly suggestion?: string | undefined
}
