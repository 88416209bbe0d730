import manifest from "../../package.json" with { type: "json" }

/** formferry's own version. */
export const version: string = manifest.version

/** The address of the docs. */
export const homepage: string = manifest.homepage
