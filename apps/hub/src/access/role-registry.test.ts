import { resolveConfig } from '@tapdeck/config'
import { expect, it } from 'vitest'
import { RoleRegistry } from './role-registry.ts'

const book = (...set: string[]) =>
  new RoleRegistry(resolveConfig({ files: [], env: {}, set }).config.tap.auth)

it('gives the highest of several roles: admin, realtime, snapshot, viewer, then those of the configuration', () => {
  const roles = book(
    'tap.auth.roles.team.capabilities={dissection:live}',
    'tap.auth.groupMapping.a=svc-viewer,tap.auth.groupMapping.b=svc-snapshot,tap.auth.groupMapping.c=svc-realtime,tap.auth.groupMapping.d=team',
  )
  const highest = (...groups: string[]) => roles.highest(groups)?.name
  expect(highest('a', 'b')).toBe('svc-snapshot')
  expect(highest('c', 'b', 'a')).toBe('svc-realtime')
  expect(highest('d', 'a')).toBe('svc-viewer')
  expect(highest('d')).toBe('team')
  expect(highest('a', 'svc-admin')).toBe('svc-admin')
})

it('gives nothing for groups that mean nothing here', () => {
  const roles = book('tap.auth.roles.team.capabilities={dissection:live}')
  // A role of the configuration is had by being mapped to, not by a group that happens to be called so.
  for (const groups of [[], ['devs'], ['team'], ['SVC-ADMIN'], ['toString'], ['__proto__']])
    expect(roles.highest(groups), String(groups)).toBeUndefined()
})
