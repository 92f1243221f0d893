import { createHash } from 'node:crypto'
import { expandLabel } from '@tapdeck/tls'
import { describe, expect, it } from 'vitest'
import { opensslSlots } from './traffic-secrets.ts'

const OFFSET = 1412

/** An object with the secrets of a connection, between other bytes that look like secrets. */
function objectOf(hash: 'sha256' | 'sha384'): Buffer {
  const length = hash === 'sha256' ? 32 : 48
  const random = (name: string) => createHash(hash).update(name).digest()
  const object = Buffer.concat(
    Array.from({ length: 128 }, (_, at) => createHash('sha512').update(`${at}`).digest()),
  )
  const slot = (number: number, value: Uint8Array) => object.set(value, OFFSET + number * 64)
  const [handshake, master, finished, transcript] = ['a', 'b', 'c', 'd'].map(random) as [
    Buffer,
    Buffer,
    Buffer,
    Buffer,
  ]
  slot(0, handshake)
  slot(1, master)
  slot(5, finished)
  slot(6, transcript)
  slot(7, expandLabel(hash, master, 'c ap traffic', length, finished))
  slot(8, expandLabel(hash, master, 's ap traffic', length, finished))
  return object
}

describe('opensslSlots', () => {
  it.each(['sha256', 'sha384'] as const)('finds the secrets by the key schedule (%s)', (hash) => {
    const object = objectOf(hash)
    expect(opensslSlots.find(object)).toBe(OFFSET)
    const secrets = opensslSlots.at(object, OFFSET)!
    expect(secrets.map(({ label }) => label)).toEqual([
      'CLIENT_HANDSHAKE_TRAFFIC_SECRET',
      'SERVER_HANDSHAKE_TRAFFIC_SECRET',
      'CLIENT_TRAFFIC_SECRET_0',
      'SERVER_TRAFFIC_SECRET_0',
    ])
    const length = hash === 'sha256' ? 32 : 48
    expect(secrets.map(({ secret }) => secret.length)).toEqual([length, length, length, length])
    expect(secrets[2]!.secret).toEqual(object.subarray(OFFSET + 7 * 64, OFFSET + 7 * 64 + length))
  })

  it('finds nothing if one byte of a secret differs, and nothing outside of the object', () => {
    const object = objectOf('sha384')
    object[OFFSET + 8 * 64] ^= 1
    expect(opensslSlots.find(object)).toBeUndefined()
    expect(opensslSlots.at(object, OFFSET)).toBeUndefined()
    expect(opensslSlots.at(object, object.length)).toBeUndefined()
    expect(opensslSlots.at(object, -64)).toBeUndefined()
    expect(opensslSlots.find(Buffer.alloc(8192))).toBeUndefined()
  })
})
