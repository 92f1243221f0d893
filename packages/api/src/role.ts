import { type Capability, capabilities } from './capability.ts'

/** THE matrix: routes, stream, dashboard and docs are all checked against it. Highest role first. */
export const roles = {
  'svc-admin': capabilities,
  'svc-realtime': ['dissection:control', 'dissection:live', 'pods:target:write', 'settings:write'],
  'svc-snapshot': ['snapshot:read', 'snapshot:write', 'snapshot:dissection'],
  'svc-viewer': ['dissection:live', 'snapshot:read'],
} as const satisfies Record<string, readonly Capability[]>

export type RoleName = keyof typeof roles

export function isRoleName(name: string): name is RoleName {
  return Object.hasOwn(roles, name)
}
