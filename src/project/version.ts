import manifest from "../../package.json" with { type: "json" }

/** formferry's own version. */
export const version: string = manifest.version

/** Where the docs are. */
export const homepage: string = manifest.homepage
