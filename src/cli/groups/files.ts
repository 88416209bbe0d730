// What reads a project's files.
export { addressFault, withoutSlash } from "../../project/address.ts"
export { jsonSchemas } from "../../project/jsonSchemas.ts"
export { findProject, listPipelines, loadProject } from "../../project/loadProject.ts"
export { openEnvironment } from "../../project/secrets.ts"
export { decodeSource } from "../../project/sourceSection.ts"
export { keysAt } from "../../project/yamlText.ts"
