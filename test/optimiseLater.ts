const [major = 0] = process.versions.node.split(".").map(Number)

/**
 * Options for Node that raise the work after which V8 optimises a function. Tests run most functions only a few times,
 * and optimising them takes a tenth of the processor time. Newer versions of Node refuse this option.
 */
export const optimiseLater: ReadonlyArray<string> = major < 22 ? ["--interrupt-budget=1000000"] : []
