import { capabilities, roles } from '@tapdeck/api'
import { acceptedRoles, grantableCapabilities } from '@tapdeck/config'
import { expect, test } from 'vitest'

test('the configuration accepts the roles that there are', () => {
  expect([...acceptedRoles].sort()).toEqual(Object.keys(roles).sort())
})

test('a role of the configuration can be given every capability but mcp:use and access:manage', () => {
  const reserved = ['mcp:use', 'access:manage']
  expect([...grantableCapabilities].sort()).toEqual(
    capabilities.filter((one) => !reserved.includes(one)).sort(),
  )
})
