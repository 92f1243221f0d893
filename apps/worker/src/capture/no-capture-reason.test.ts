import { afterEach, expect, it, vi } from 'vitest'
import { noCaptureReason } from './no-capture-reason.ts'
import { SystemCallError } from './system-call-error.ts'

afterEach(() => vi.unstubAllEnvs())

it.runIf(process.platform === 'linux')('names what to do on a machine, and in a pod', () => {
  const forbidden = new SystemCallError('socket', 1)
  vi.stubEnv('KUBERNETES_SERVICE_HOST', undefined)
  expect(noCaptureReason(forbidden)).toMatch(/CAP_NET_RAW.*setcap/)
  vi.stubEnv('KUBERNETES_SERVICE_HOST', '10.96.0.1')
  expect(noCaptureReason(forbidden)).toMatch(/CAP_NET_RAW.*capabilities of the container/)
})
