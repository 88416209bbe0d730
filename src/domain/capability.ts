/** What a service may be able to do in addition to creating submissions, reading them and returning a form's metadata. A project names what its service can do. */
export const capabilities = ["list", "delete"] as const

export type Capability = (typeof capabilities)[number]
