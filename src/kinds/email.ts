import validator from "validator"
import { oneText } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"

const notAnEmail = new Fault("not-an-email", "an e-mail address such as name@example.org")

/** The address with its domain in lower case: only the part before the @ may depend on case. */
const withDomain = (address: string): string => {
  const at = address.lastIndexOf("@") + 1
  return address.slice(0, at) + address.slice(at).toLowerCase()
}

/** An e-mail address. What stands before the @ stays as it is. */
export const email: Kind = {
  name: "email",
  description: "An e-mail address. Sent as a string, its domain in lower case",
  options: {},
  sends: "string",
  parts: [],
  partKinds: {},
  many: false,
  types: ["EmailInput", "Email"],
  compile: () => oneText((text) => validator.isEmail(text) ? withDomain(text) : notAnEmail),
  compare: (sent, returned) => {
    if (sent === returned) return same
    if (typeof sent !== "string" || typeof returned !== "string") return different
    if (withDomain(sent) === withDomain(returned)) return equivalent("letter case of the domain")
    return sent.toLowerCase() === returned.toLowerCase() ? equivalent("letter case") : different
  },
}
