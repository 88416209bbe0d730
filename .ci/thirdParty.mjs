// Lists the packages inside the bundle, and writes the file with their licences.
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"

/** The licences that allow a package inside a bundle if their text is included. */
const allowed = ["0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT"]

/** Matches a line of the list: a name, a version and a licence. */
const line = /^- (\S+) (\S+) \(\S+\)$/gm

/**
 * Returns the text of THIRD-PARTY.md for a bundle: every package with code in it, and each licence once. Throws if a package has no licence text, or a licence that is not allowed.
 *
 * @param metafile esbuild's report about the bundle
 */
export const thirdParty = (metafile) => {
  const folders = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) =>
      bytesInOutput > 0 ? (/^.*\bnode_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file) ?? []) : []
    )
  )
  const packages = [...new Set(folders)].map(read).toSorted((a, b) => (a.title < b.title ? -1 : 1))
  const faults = packages.flatMap(({ fault }) => fault ?? [])
  if (faults.length > 0) throw new Error(`The bundle can't be passed on:\n${faults.join("\n")}`)
  const texts = [...new Set(packages.map(({ text }) => text))]
  return [
    "# Third-party packages",
    "The files in this folder contain code of these packages.",
    packages.map(({ title }) => `- ${title}`).join("\n"),
    ...texts.flatMap((text) => [
      `## ${packages.filter((one) => one.text === text).map(({ name }) => name).join(", ")}`,
      `~~~text\n${text}\n~~~`,
    ]),
  ].join("\n\n") + "\n"
}

/** Returns the packages that THIRD-PARTY.md lists, each as `name@version`. */
export const listed = (text) => [...text.matchAll(line)].map(([, name, version]) => `${name}@${version}`)

/** Returns the last section of a package's README if it is the licence. Some packages have it only there. */
const licenceInReadme = (folder) => {
  const file = readdirSync(folder).find((name) => /^readme\.md$/i.test(name))
  const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n")
  return /^#+ licen[cs]e\n(?<text>(?!#)[^]*Permission is hereby granted[^]*)$/im.exec(text)?.groups.text.trim() ?? ""
}

const read = (folder) => {
  const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && /^(licen[cs]e|copying|notice)/i.test(entry.name))
    .map((entry) => readFileSync(join(folder, entry.name), "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n")
  const text = files === "" ? licenceInReadme(folder) : files
  const fault = !allowed.includes(license)
    ? `${name} ${version}: the licence ${license} is not on the list of .ci/thirdParty.mjs`
    : text === ""
    ? `${name} ${version} has no licence text`
    : undefined
  return { name, title: `${name} ${version} (${license})`, text, fault }
}
