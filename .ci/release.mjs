// Writes a release to a folder: the package, its SHA-256 checksum and its SBOM (CycloneDX). `npm run release` builds first.
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { listed } from "./thirdParty.mjs"

const [folder = "release"] = process.argv.slice(2)
const npm = (...args) => execFileSync("npm", args, { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })

mkdirSync(folder, { recursive: true })
const name = npm("pack", "--silent", "--ignore-scripts", "--pack-destination", folder).trim()
const digest = createHash("sha256").update(readFileSync(join(folder, name))).digest("hex")
writeFileSync(join(folder, `${name}.sha256`), `${digest}  ${name}\n`)

// npm marks bundled packages as development tools because they are not installed.
const bundled = new Set(listed(readFileSync("dist/THIRD-PARTY.md", "utf8")))
const sbom = JSON.parse(npm("sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--package-lock-only"))
const isDevelopment = ({ name }) => name === "cdx:npm:package:development"
const components = sbom.components
  .filter((one) => bundled.has(one["bom-ref"]) || !one.properties.some(isDevelopment))
  .map((one) => ({
    ...one,
    scope: bundled.has(one["bom-ref"]) ? "required" : one.scope,
    properties: one.properties.filter((property) => !isDevelopment(property)),
  }))
const root = sbom.metadata.component
const kept = new Set([root["bom-ref"], ...components.map((one) => one["bom-ref"])])
const dependencies = sbom.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((one) => kept.has(one)) }))
const metadata = { ...sbom.metadata, component: { ...root, name: "formferry" } }
writeFileSync(
  join(folder, name.replace(/\.tgz$/, ".sbom.json")),
  `${JSON.stringify({ ...sbom, metadata, components, dependencies }, null, 2)}\n`,
)
