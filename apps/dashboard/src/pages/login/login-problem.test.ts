import { expect, test } from 'vitest'
import { HubProblem } from '../../client/hub-problem.ts'
import { loginProblem, tokenProblem } from './login-problem.ts'

test('a failed login is explained, and nothing from the address is shown as it is', () => {
  expect(loginProblem('?kfl=http')).toBeUndefined()
  expect(loginProblem('?login_problem=no_role')).toContain('none of your groups')
  expect(loginProblem('?login_problem=<b>x</b>')).toBe('The login did not work.')
})

test('a wrong token gets advice for people, and other problems stay as they are', () => {
  const refused = tokenProblem(new HubProblem(401, { hint: 'Send Authorization: Bearer <token>' }))
  expect(refused.message).toContain('not known here')
  expect(refused instanceof HubProblem && refused.hint).not.toContain('Authorization')
  const away = HubProblem.unreachable()
  expect(tokenProblem(away)).toBe(away)
})
