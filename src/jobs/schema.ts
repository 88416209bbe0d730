import type { JsonObject } from "../domain/json.ts"
import { jsonSchemas } from "../project/jsonSchemas.ts"

/** The kinds of configuration file. */
type SchemaName = "pipeline" | "project"

/** The JSON Schema of a kind of configuration file, for editors. */
export const schemaOf = (name: SchemaName): JsonObject => jsonSchemas()[name]
