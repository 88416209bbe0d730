/** Whether a text can be the secret of a ledger: 64 hexadecimal digits, in lower case. */
export const isLedgerSecret = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)

/** Matches a text that can be sent as a secret in a header: visible ASCII characters, without spaces. */
export const headerSecret = /^[\x21-\x7e]+$/
