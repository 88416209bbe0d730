// The direction of dependencies (ARCHITECTURE.md): cli → studio → jobs → run → stations and practice → project, service, ledger, profile → kinds → domain.

const stations = ["source", "suggest", "mapping", "sink", "reconcile", "report", "notify"]
const floors = ["project", "service", "ledger", "profile"]
const ground = ["kinds", "formtools", "domain"]

/** For every folder of src, the folders it may import besides itself. */
const mayImport = {
  domain: [],
  kinds: ["domain"],
  formtools: ["domain"],
  project: ground,
  service: ["kinds", "domain"],
  ledger: ["kinds", "domain"],
  profile: ground,
  practice: ["project", "service", "kinds", "domain"],
  ...Object.fromEntries(stations.map((station) => [station, [...floors, ...ground]])),
  run: [...stations, "practice", ...floors, ...ground],
  jobs: ["run", ...stations, "practice", ...floors, ...ground],
  studio: ["jobs", "run", ...stations, "practice", ...floors, ...ground],
  cli: ["studio", "jobs", "run", ...stations, "practice", ...floors, ...ground],
}

const direction = Object.entries(mayImport).map(([folder, allowed]) => ({
  name: `direction-${folder}`,
  comment: `src/${folder} may import ${allowed.length > 0 ? allowed.join(", ") : "nothing"}.`,
  severity: "error",
  from: { path: `^src/${folder}/` },
  to: { path: "^src/", pathNot: `^src/(${[folder, ...allowed].join("|")})/` },
}))

/** devDependencies that only tests and tools use. */
const tools = [
  "@actions/workflow-parser",
  "@effect/vitest",
  "@xterm/headless",
  "ajv",
  "axe-core",
  "dockerfile-utils",
  "esbuild",
  "fast-check",
  "kubernetes-models",
  "playwright-core",
  "read-excel-file",
  "typescript",
  "vitest",
]

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    ...direction,
    {
      name: "domain-imports-nothing",
      comment: "src/domain is plain types and Schemas of ours: no package but effect/Schema, no module of Node.",
      severity: "error",
      from: { path: "^src/domain/" },
      to: { pathNot: "^src/domain/|^node_modules/effect/dist/[^/]+/Schema\\.[a-z.]+$" },
    },
    {
      name: "main-imports-cli",
      comment: "src/main.ts wires the command tree to the platform; all else is behind the commands.",
      severity: "error",
      from: { path: "^src/main\\.ts$" },
      to: { path: "^src/", pathNot: "^src/cli/" },
    },
    {
      name: "only-known-folders",
      comment: "A new folder of src, or a file at its top, needs its place in the direction first (mayImport, above).",
      severity: "error",
      from: {},
      to: { path: "^src/", pathNot: `^src/(main\\.ts$|(${Object.keys(mayImport).join("|")})/)` },
    },
    {
      name: "src-without-tests",
      comment: "Neither tests nor tools of the build are part of the program.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: "^(test|[.]ci)/" },
    },
    {
      name: "page-imports-types",
      comment:
        "The studio's page is bundled for browsers. It imports only types of other folders, and tables and words of domain/, which need no package.",
      severity: "error",
      from: { path: "^src/studio/page/" },
      to: {
        path: "^src/",
        pathNot: "^src/(studio/page/|domain/(fate|form|problem|progress|run|visible|words)\\.ts$)",
        dependencyTypesNot: ["type-only"],
      },
    },
    {
      name: "server-without-page",
      comment: "The studio's page is not part of the server.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/studio/page/" },
      to: { path: "^src/studio/page/" },
    },
    {
      name: "words-import-words",
      comment: "src/suggest/words contains what words mean, and imports nothing else of src/suggest.",
      severity: "error",
      from: { path: "^src/suggest/words/" },
      to: { path: "^src/suggest/(?!words/)" },
    },
    {
      name: "suggest-without-draft",
      comment: "Suggestions are made without what writes them as a pipeline.",
      severity: "error",
      from: { path: "^src/suggest/[^/]+$" },
      to: { path: "^src/suggest/draft/" },
    },
    {
      name: "run-without-vocabulary",
      comment:
        "A run starts sooner if it does not load the vocabulary of titles. Words that cells contain are in profile/cellWords.ts.",
      severity: "error",
      from: { path: "^src/jobs/run\\.ts$" },
      to: { path: "^src/suggest/words/(?:topics|vectors|words)\\.", reachable: true },
    },
    {
      name: "no-cycle",
      severity: "error",
      from: {},
      to: { circular: true },
    },
    {
      name: "no-orphan",
      comment:
        "Nobody imports this module and it imports nobody. Declaration files are read by the type checker alone.",
      severity: "error",
      from: { orphan: true, path: "^src/", pathNot: "[.]d[.]ts$" },
      to: {},
    },
    {
      name: "resolvable",
      severity: "error",
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: "declared-packages",
      comment:
        "src uses the packages listed in package.json, and no others. Those that the build bundles are devDependencies.",
      severity: "error",
      from: { path: "^src/" },
      to: { dependencyTypes: ["npm-no-pkg", "npm-unknown"] },
    },
    {
      name: "tools-stay-outside",
      comment: "The packages of tests and tools are not bundled.",
      severity: "error",
      from: { path: "^src/" },
      to: { path: `(^|/)node_modules/(${tools.join("|")})/` },
    },
    {
      name: "named-for-its-idea",
      comment: "A file holds one idea and is named for it.",
      severity: "error",
      from: {},
      to: { path: "/(util|utils|helper|helpers|common|misc)[./]", pathNot: "node_modules" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "node", "default", "types"],
      extensions: [".ts", ".tsx", ".mjs", ".cjs", ".js", ".json"],
    },
  },
}
