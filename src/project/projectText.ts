import { yamlText } from "./PipelineDraft.ts"

/** The service of a new project. */
export type NewService =
  | { readonly _tag: "Live"; readonly name: string; readonly baseUrl: string; readonly keyVariable: string }
  /** The embedded practice service. `forms`: its folder of forms, relative to config/. */
  | { readonly _tag: "Practice"; readonly name: string; readonly forms: string }

const serviceLines = (service: NewService): ReadonlyArray<string> =>
  service._tag === "Live"
    ? [
      `  ${yamlText(service.name)}:`,
      `    baseUrl: ${yamlText(service.baseUrl)} # with the version segment`,
      `    apiKey: { env: ${service.keyVariable} } # from the environment or the file .env next to config/, never from this file`,
    ]
    : [
      "  # The embedded practice service: it needs no account, and nothing leaves this machine.",
      `  ${yamlText(service.name)}:`,
      `    practice: { forms: ${yamlText(service.forms, true)}, store: ../.formferry/practice }`,
    ]

/** Returns the text of config/formferry.yaml for a new project. */
export const projectText = (service: NewService): string =>
  [
    "# yaml-language-server: $schema=./schemas/project.schema.json",
    "services:",
    ...serviceLines(service),
    "",
    "ledger: { file: ../.formferry/ledger.db } # what happened to every row. Back it up with the .key file next to it",
    "reports: ../reports",
    "",
  ].join("\n")

/** Returns the text of .env.example: the names of variables, without values. */
export const environmentExample = (service: NewService): string =>
  service._tag === "Live"
    ? `# Copy to .env, which git ignores, and put the API key of ${service.name} here.\n${service.keyVariable}=\n`
    : "# Put the API keys of form services into the file .env, which git ignores, one per line: NAME=key\n"

/** The parts of a project with personal data or secrets, which must not be in version control. */
const ignoredByGit: ReadonlyArray<string> = [".formferry/", "reports/", ".env"]

/** Returns the text of .gitignore with all lines that it needs. Undefined if none is missing. */
export const gitIgnoreWith = (text: string): string | undefined => {
  const lines = new Set(text.split(/\r?\n/).map((line) => line.trim().replace(/^\//, "")))
  const missing = ignoredByGit.filter((entry) => !lines.has(entry) && !lines.has(entry.replace(/\/$/, "")))
  if (missing.length === 0) return undefined
  const gap = text === "" || text.endsWith("\n") ? "" : "\n"
  return `${text}${gap}${missing.join("\n")}\n`
}
