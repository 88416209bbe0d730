import type { FaultKind } from "./faultKinds.ts"

/** Faults that are about what is created, and meet nothing else. */
export const ofCreates: ReadonlySet<FaultKind> = new Set<FaultKind>([
  "invalid",
  "too-few",
  "too-many",
  "shuffled",
  "duplicate-ids",
  "drop-answer",
  "trim-answers",
  "reformat-answers",
  "unknown-type",
  "invisible",
])
