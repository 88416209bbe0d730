/** What a network error's code means, in a few words. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was reset",
  EPIPE: "the connection was closed by the other side",
  ENOTFOUND: "the host name is not known",
  EAI_AGAIN: "the host name could not be looked up",
  EHOSTUNREACH: "the host can't be reached",
  ENETUNREACH: "the network can't be reached",
  ETIMEDOUT: "the connection timed out",
  UND_ERR_CONNECT_TIMEOUT: "connecting took too long",
  UND_ERR_SOCKET: "the connection was closed by the other side",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "the answer was cut short",
  UND_ERR_DESTROYED: "the connection was closed on our side",
  UND_ERR_CLOSED: "the connection was closed on our side",
  EPROTO: "the other side does not speak TLS",
  ERR_SSL_WRONG_VERSION_NUMBER: "the other side does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the other side does not speak TLS",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is self-signed",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate can't be verified",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host",
}

const codeOf = (error: unknown): string | undefined =>
  typeof error === "object" && error !== null && "code" in error && typeof error.code === "string"
    ? error.code
    : undefined

/**
 * A network error in words. Of an error that is not known only its code is told, or its name: messages may repeat what was sent or received.
 */
export const describeFault = (error: unknown): { readonly reason: string; readonly code: string | undefined } => {
  // Several addresses were tried: the first one's error stands for all.
  const first = error instanceof AggregateError ? error.errors[0] : error
  const code = codeOf(first) ?? codeOf(error)
  const name = error instanceof Error ? error.name : "unknown"
  if (name === "HTTPParserError") return { reason: "the answer is not HTTP", code }
  return { reason: (code === undefined ? undefined : words[code]) ?? `the connection failed (${code ?? name})`, code }
}
