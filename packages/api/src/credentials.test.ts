import { expect, it } from 'vitest'
import {
  apiToken,
  formatToken,
  isWorkerCredential,
  provenNode,
  sameDigest,
  tokenDigest,
  workerCredential,
} from './credentials.ts'

/** Unix milliseconds. */
const NOW = 1_800_000_000_000

it('an API token is recognisable, and its digest tells nothing of it', () => {
  const token = formatToken(new Uint8Array(32).fill(7))
  expect(token).toMatch(/^tpd_[\w-]{43}$/)
  expect(tokenDigest(token)).toMatch(/^[0-9a-f]{64}$/)
  expect(sameDigest(tokenDigest(token), tokenDigest(token))).toBe(true)
  expect(sameDigest(tokenDigest(token), tokenDigest(`${token}x`))).toBe(false)
  expect(sameDigest('ab', 'abc')).toBe(false)
  expect(() => formatToken(new Uint8Array(16))).toThrow(RangeError)
})

it('a file that is no token is none', () => {
  const good = {
    id: '0123456789ab',
    name: 'ci',
    role: 'svc-viewer',
    digest: 'a'.repeat(64),
    created_at: '2026-01-01T00:00:00Z',
    expires_at: null,
  }
  expect(apiToken.safeParse(good).success).toBe(true)
  for (const change of [
    { id: '../x' },
    { digest: 'short' },
    { name: '' },
    { expires_at: 'soon' },
    { more: 1 },
  ])
    expect(apiToken.safeParse({ ...good, ...change }).success, JSON.stringify(change)).toBe(false)
})

it('a worker credential is good for its own node under its own secret, and for nothing else', () => {
  const credential = workerCredential('secret', 'node-1')
  expect(isWorkerCredential(credential)).toBe(true)
  expect(isWorkerCredential('secret')).toBe(false)
  expect(provenNode('secret', credential, NOW)).toEqual({ node: 'node-1' })
  expect(provenNode('other', credential, NOW)).toBeUndefined()
  const [, signature] = credential.split('.')
  const forged = workerCredential('guess', 'node-2').replace(/\..*/, `.${signature}`)
  for (const bad of [forged, `${credential}x`, credential.slice(0, -1), 'secret', 'tpw_.', 'tpw_x', ''])
    expect(provenNode('secret', bad, NOW), bad).toBeUndefined()
  expect(provenNode('secret', workerCredential('secret', 'knoten-ä'), NOW)).toEqual({ node: 'knoten-ä' })
})

it('a worker credential with an end is good up to it, and the end cannot be moved or taken away', () => {
  const until = NOW / 1000 + 600
  const credential = workerCredential('secret', 'pod:shop:web-1', until)
  expect(isWorkerCredential(credential)).toBe(true)
  expect(provenNode('secret', credential, NOW)).toEqual({ node: 'pod:shop:web-1', until })
  expect(provenNode('secret', credential, until * 1000)).toBeUndefined()
  const [name, end, signature] = credential.split('.')
  for (const bad of [
    `${name}.${signature}`,
    `${name}.${Number(end) + 1}.${signature}`,
    `${name}.0${end}.${signature}`,
    // A credential without an end of a node whose name reads like one.
    workerCredential('secret', `${until} pod:shop:web-1`).replace(/^[^.]+/, name!),
  ])
    expect(provenNode('secret', bad, NOW), bad).toBeUndefined()
})
