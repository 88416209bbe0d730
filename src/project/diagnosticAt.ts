import type { Diagnostic, YamlPath } from "../domain/diagnostic.ts"
import type { Document } from "./yamlText.ts"

/**
 * A finding about what stands at a path of a configuration file.
 *
 * @param suggestion what would be right, as a sentence
 * @param at about the key at the path or about its value; without it about the name of a whole section, and the value of anything smaller
 */
export const diagnosticAt = (
  document: Document,
  severity: Diagnostic["severity"],
  path: YamlPath,
  message: string,
  suggestion?: string,
  at: "key" | "value" = path.length === 1 ? "key" : "value",
): Diagnostic => ({ severity, file: document.file, ...document.at(path, at), message, suggestion })
