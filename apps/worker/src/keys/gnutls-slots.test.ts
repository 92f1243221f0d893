import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { gnutlsSlots } from './gnutls-slots.ts'

const OFFSET = 5968

/** An object with the secrets of a connection, between other bytes that look like secrets. */
function objectOf(size: 32 | 48, hasEarly = false): Buffer {
  const object = Buffer.concat(
    Array.from({ length: 128 }, (_, at) => createHash('sha512').update(`${at}`).digest()),
  )
  const slot = (at: number, name: string | undefined) => {
    object.fill(0, at, at + 64)
    if (name !== undefined) object.set(createHash('sha384').update(name).digest().subarray(0, size), at)
  }
  object.writeUInt32LE(size, OFFSET)
  for (const [number, name] of [hasEarly ? 'e' : undefined, 'hc', 'hs', 'ac', 'as'].entries())
    slot(OFFSET + 4 + number * 64, name)
  return object
}

describe('gnutlsSlots', () => {
  it.each([32, 48] as const)('finds the secrets by the shape of their slots (%i bytes)', (size) => {
    const object = objectOf(size)
    expect(gnutlsSlots.find(object)).toBe(OFFSET)
    const secrets = gnutlsSlots.at(object, OFFSET)!
    expect(secrets.map(({ label }) => label)).toEqual([
      'CLIENT_HANDSHAKE_TRAFFIC_SECRET',
      'SERVER_HANDSHAKE_TRAFFIC_SECRET',
      'CLIENT_TRAFFIC_SECRET_0',
      'SERVER_TRAFFIC_SECRET_0',
    ])
    expect(secrets[3]!.secret).toEqual(createHash('sha384').update('as').digest().subarray(0, size))
    const window = object.subarray(OFFSET, OFFSET + gnutlsSlots.bytes)
    expect(gnutlsSlots.at(window, 0)).toEqual(secrets)
  })

  it('takes the secret of early data, where there is one', () => {
    const secrets = gnutlsSlots.at(objectOf(32, true), OFFSET)!
    expect(secrets.at(-1)!.label).toBe('CLIENT_EARLY_TRAFFIC_SECRET')
  })

  it('finds nothing if the size, the end of a slot or a secret is wrong, and nothing outside of the object', () => {
    for (const [at, value] of [
      [OFFSET, 33],
      [OFFSET + 4 + 64 + 40, 1],
    ] as const) {
      const object = objectOf(32)
      object[at] = value
      expect(gnutlsSlots.find(object)).toBeUndefined()
    }
    const empty = objectOf(32)
    empty.fill(0, OFFSET + 4 + 3 * 64, OFFSET + 4 + 4 * 64)
    expect(gnutlsSlots.find(empty)).toBeUndefined()
    expect(gnutlsSlots.at(empty, empty.length)).toBeUndefined()
    expect(gnutlsSlots.find(Buffer.alloc(8192))).toBeUndefined()
  })
})
