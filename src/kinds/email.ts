import validator from "validator"
import { oneText } from "./cells.ts"
import { different, equivalent, same } from "./compared.ts"
import type { Kind } from "./Kind.ts"
import { Fault } from "./Kind.ts"

const notAnEmail = new Fault("not-an-email", "an e-mail address such as name@example.org")

/** The address with its domain in lower case: only the part before the @ may depend on case. */
const withDomain = (address: string): string => {
  const at = address.lastIndexOf("@") + 1
  const domain = address.slice(at)
  const lower = domain.toLowerCase()
  return lower === domain ? address : address.slice(0, at) + lower
}

/** Addresses as almost all are, which validator accepts: told in a thirtieth of its time. */
const usual = /^[a-z\d_+-]+(?:\.[a-z\d_+-]+)*@(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,18}$/i

/** Of these the ones whose domain is in lower case already: they are sent as they stand. */
const settled = /^[A-Za-z\d_+-]+(?:\.[A-Za-z\d_+-]+)*@(?:[a-z\d]+(?:-[a-z\d]+)*\.)+[a-z]{2,18}$/

const isEmail = (text: string): boolean => (text.length <= 64 && usual.test(text)) || validator.isEmail(text)

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
  compile: () =>
    oneText((text) => text.length <= 64 && settled.test(text) ? text : isEmail(text) ? withDomain(text) : notAnEmail),
  compare: (sent, returned) => {
    if (sent === returned) return same
    if (typeof sent !== "string" || typeof returned !== "string") return different
    if (withDomain(sent) === withDomain(returned)) return equivalent("letter case of the domain")
    return sent.toLowerCase() === returned.toLowerCase() ? equivalent("letter case") : different
  },
}
