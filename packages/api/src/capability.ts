/**
 * What a caller may do. An operation needs one; routes under `/mcp` also need `mcp:use`. Who has `access:manage` can make
 * a token of any role, so neither of the last two can be given to a role of the configuration.
 */
export const capabilities = [
  'dissection:control',
  'dissection:live',
  'snapshot:read',
  'snapshot:write',
  'snapshot:dissection',
  'pods:target:write',
  'settings:write',
  'events:cmdline',
  'tls:read',
  'access:manage',
  'mcp:use',
] as const

export type Capability = (typeof capabilities)[number]

/** What a caller must hold: a capability, or any one of several. */
export type Needed = Capability | { readonly anyOf: readonly [Capability, ...Capability[]] }

/** Callers who may read calls of some kind: the state of the installation and what callers share are for them. */
export const anyReader: Needed = { anyOf: ['dissection:live', 'snapshot:read'] }
