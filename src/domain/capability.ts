/** What a service may be able to do beside creating, reading and form metadata. A project names what its service can do. */
export const capabilities = ["list", "delete"] as const

export type Capability = (typeof capabilities)[number]
