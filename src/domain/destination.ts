/** The service's address and the form: with the pipeline's name and the row key, a row's identity in the ledger. */
export interface Destination {
  /** The service's base URL without a trailing slash; for the embedded practice service `practice:` and its store. */
  readonly service: string
  readonly form: string
}
