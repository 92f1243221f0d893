import { roles } from '@tapdeck/api'
import { acceptedRoles } from '@tapdeck/config'
import { expect, test } from 'vitest'

test('the configuration accepts the roles that there are', () => {
  expect([...acceptedRoles].sort()).toEqual(Object.keys(roles).sort())
})
