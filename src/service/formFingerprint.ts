import { createHash } from "node:crypto"
import type { Form } from "../domain/form.ts"
import { canonicalJson } from "../domain/json.ts"

/** Tells whether a form changed: SHA-256 (hex) over its metadata as formferry understands it, whatever the order of members. */
export const formFingerprint = (form: Form): string => createHash("sha256").update(canonicalJson(form)).digest("hex")
