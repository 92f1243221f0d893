/** What a caller may do. An operation needs one; routes under `/mcp` also need `mcp:use`. */
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
  'mcp:use',
] as const

export type Capability = (typeof capabilities)[number]
