import manifest from "../../package.json" with { type: "json" }

/** formferry's own version. */
export const version: string = manifest.version
