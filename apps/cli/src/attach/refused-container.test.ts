import { expect, test } from 'vitest'
import { refusedContainer } from './refused-container.ts'

test.each([
  [
    403,
    'pods "web" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false',
    'level "restricted"',
  ],
  [
    403,
    'pods "web" is forbidden: User "me" cannot patch resource "pods/ephemeralcontainers" in API group ""',
    'the verb patch on pods/ephemeralcontainers',
  ],
  [404, 'the server could not find the requested resource', 'Kubernetes 1.25'],
  [400, 'admission webhook "policy.example" denied the request: no root', 'Nothing was changed'],
])('a refusal with status %d says what to do', (code, reason, hint) => {
  const failed = refusedContainer(code, reason)
  expect(failed.message).toContain(reason)
  expect(failed.hint).toContain(hint)
})
