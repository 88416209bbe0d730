/** An account at a service or a form tool. */
export interface SharedAccount {
  /** The canonical address. */
  readonly address: string
  /** The secret that signs in. It is used only for a keyed digest. */
  readonly secret: string
}

/** What a host asks for. Spans are in milliseconds. */
export interface SlotRequest {
  /** The number of slots. 0 only learns what other hosts have changed. */
  readonly slots: number
  /** The interval between slots. */
  readonly interval: number
  /** No slot begins earlier than this span from now. */
  readonly delay: number
  /** The state of the rate, and whether this host has changed it since the last answer. */
  readonly state: string
  readonly isChanged: boolean
}

/** The answer to a host. Times are in milliseconds by the shared clock. */
export interface Slots {
  readonly now: number
  /** The first slot. */
  readonly from: number
  /** Requests per second that all hosts leased lately. */
  readonly used: number
  /** The state that a different host recorded. If it is set, nothing was leased or recorded. Undefined if the host's state was the latest. */
  readonly newer: string | undefined
}

/**
 * The rate of an account, shared by all hosts (docs/decisions/0038-shared-rate.md). A slot is a time at which one request may be sent. No slot is
 * leased twice. Each host waits for an answer before it asks again.
 */
export interface SharedRate {
  readonly lease: (request: SlotRequest) => Promise<Slots>
}
