import { expect, test } from 'vitest'
import { loginProblem } from './login-problem.ts'

test('a failed login is explained, and nothing from the address is shown as it is', () => {
  expect(loginProblem('?kfl=http')).toBeUndefined()
  expect(loginProblem('?login_problem=no_role')).toContain('none of your groups')
  expect(loginProblem('?login_problem=<b>x</b>')).toBe('The login did not work.')
})
