import { expect, it } from 'vitest'
import { Problem } from './problem.ts'

it('has the members of RFC 9457 and extensions', () => {
  const problem = new Problem(403, 'missing_capability', 'the role svc-viewer may not', {
    missing: 'mcp:use',
  })
  expect(problem.body()).toEqual({
    type: 'urn:tapdeck:problem:missing_capability',
    title: 'Forbidden',
    status: 403,
    detail: 'the role svc-viewer may not',
    code: 'missing_capability',
    missing: 'mcp:use',
  })
  expect(problem).toBeInstanceOf(Error)
  expect(new Problem(418, 'x', 'y').body().title).toBe('Error')
})
