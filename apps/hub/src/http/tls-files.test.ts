import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { selfSigned } from '../testing/self-signed.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let folder: string
let hub: TestHub | undefined
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-tls-'))
})
afterEach(async () => {
  await hub?.stop()
  hub = undefined
  rmSync(folder, { recursive: true, force: true })
})

const settings = ({ cert, key }: { cert: string; key: string }) => ({
  set: [`tap.tls.cert=${cert},tap.tls.key=${key}`],
})

/** The name in the certificate that the hub shows, and its answer's status and policy. */
function visit(port: number, ca: string) {
  return new Promise<{ name: string; status: number; policy: string | undefined }>((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path: '/healthz', ca: readFileSync(ca), agent: false },
      (answer) => {
        const { subject } = (answer.socket as import('node:tls').TLSSocket).getPeerCertificate()
        answer.resume()
        const policy = answer.headers['strict-transport-security']
        resolve({ name: String(subject.CN), status: answer.statusCode ?? 0, policy })
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

it('speaks TLS only, and takes a renewed certificate without a restart', async () => {
  const files = selfSigned(folder, 'first')
  hub = await startHub(settings(files))
  await hub.open()
  const { port } = hub
  expect(await visit(port, files.cert)).toEqual({ name: 'first', status: 200, policy: 'max-age=31536000' })
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow()
  const renewed = selfSigned(folder, 'second')
  // Half of it first: certificate and key that do not belong together change nothing.
  copyFileSync(renewed.cert, files.cert)
  await until(() => hub!.logged.some((line) => line.includes('keeping the previous one')), Boolean)
  copyFileSync(renewed.key, files.key)
  await until(
    () => visit(port, renewed.cert).catch(() => undefined),
    (found) => found?.name === 'second',
  )
})

it('does not start with files that are no certificate and key', async () => {
  const files = selfSigned(folder, 'broken')
  writeFileSync(files.key, 'nonsense')
  await expect(startHub(settings(files))).rejects.toThrow(
    /^tap\.tls: cannot use .*broken\.crt and .*broken\.key/,
  )
})
