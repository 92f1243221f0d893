/** What a caller may do. An operation carries one; the doors under `/mcp` demand `mcp:use` besides. */
export const capabilities = [
  'dissection:control',
  'dissection:live',
  'snapshot:read',
  'snapshot:write',
  'snapshot:dissection',
  'pods:target:write',
  'settings:write',
  'mcp:use',
] as const

export type Capability = (typeof capabilities)[number]
