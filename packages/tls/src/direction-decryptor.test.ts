import { createCipheriv, randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { cipherSpec } from './cipher-spec.ts'
import { type CipherEpoch, DirectionDecryptor } from './direction-decryptor.ts'
import { expandLabel } from './key-derivation.ts'
import { CONTENT_TYPE, nonceOf } from './record-cipher.ts'
import { Tls13Cipher } from './tls13-cipher.ts'

const SPEC = cipherSpec('TLS_AES_128_GCM_SHA256')
if (SPEC === undefined) throw new Error('unknown suite')
const FIRST = randomBytes(32)

test('follows key updates, whose messages it does not need to see', () => {
  const generations = [FIRST]
  for (let i = 0; i < 3; i++)
    generations.push(Buffer.from(expandLabel('sha256', generations[i]!, 'traffic upd', 32)))
  const decryptor = new DirectionDecryptor([epochOf(FIRST)])
  for (const [generation, secret] of generations.entries())
    for (let sequence = 0; sequence < 3; sequence++) {
      const text = `record ${sequence} of generation ${generation}`
      expect(textOf(decryptor.open(seal(secret, sequence, text)))).toBe(text)
    }
})

test('a key update within lost records is followed, too', () => {
  const second = expandLabel('sha256', FIRST, 'traffic upd', 32)
  const decryptor = new DirectionDecryptor([epochOf(FIRST)])
  expect(textOf(decryptor.open(seal(FIRST, 0, 'before')))).toBe('before')
  decryptor.lost()
  expect(textOf(decryptor.open(seal(second, 7, 'after')))).toBe('after')
  expect(textOf(decryptor.open(seal(second, 8, 'and on')))).toBe('and on')
})

test('record numbers above 32 bits are part of the nonce', () => {
  const cipher = new Tls13Cipher(SPEC, FIRST)
  const sequence = 2 ** 32 + 5
  expect(textOf(cipher.open(seal(FIRST, sequence, 'far'), sequence))).toBe('far')
  expect(cipher.open(seal(FIRST, sequence, 'far'), 5)).toBeUndefined()
})

test('padding is removed, and a record of padding alone does not open', () => {
  const cipher = new Tls13Cipher(SPEC, FIRST)
  expect(textOf(cipher.open(seal(FIRST, 0, 'padded', 100), 0))).toBe('padded')
  const onlyZeros = sealInner(FIRST, 0, Buffer.alloc(50))
  expect(cipher.open(onlyZeros, 0)).toBeUndefined()
})

test('a connection that loses records again and again is followed to its end', () => {
  const decryptor = new DirectionDecryptor([countingEpoch()])
  for (let sequence = 0; sequence < 400 * 60; sequence += 60) {
    expect(decryptor.open(numbered(sequence))).toBeDefined()
    decryptor.lost()
  }
  expect(decryptor.gaveUp).toBe(false)
})

test('where it is known how many records were lost, no more of them are searched past', () => {
  const epoch = countingEpoch()
  const decryptor = new DirectionDecryptor([epoch])
  for (let count = 0; count < 40; count++) {
    decryptor.lost(1)
    expect(decryptor.open(numbered(-1))).toBeUndefined()
  }
  expect(epoch.attempts).toBeLessThan(2000)
})

test('records that no key opens cost a bounded number of attempts, however many come after losses', () => {
  const epoch = countingEpoch()
  const decryptor = new DirectionDecryptor([epoch])
  for (let count = 0; count < 1000; count++) {
    decryptor.lost()
    expect(decryptor.open(numbered(-1))).toBeUndefined()
  }
  expect(decryptor.gaveUp).toBe(true)
  expect(epoch.attempts).toBeLessThan(17_000)
})

/** A cipher that opens a record at its number only, and counts how often it is tried. */
function countingEpoch(): CipherEpoch & { attempts: number } {
  const epoch = {
    attempts: 0,
    cipher: {
      open(record: Uint8Array, sequence: number) {
        epoch.attempts++
        const number = new DataView(record.buffer).getInt32(0)
        return number === sequence ? { type: CONTENT_TYPE.applicationData, bytes: record } : undefined
      },
    },
  }
  return epoch
}

function numbered(sequence: number): Uint8Array {
  const record = new Uint8Array(4)
  new DataView(record.buffer).setInt32(0, sequence)
  return record
}

function epochOf(secret: Uint8Array): CipherEpoch {
  const wrap = (cipher: Tls13Cipher): CipherEpoch => ({ cipher, next: () => wrap(cipher.next()) })
  return wrap(new Tls13Cipher(SPEC!, secret))
}

function textOf(opened: { readonly bytes: Uint8Array } | undefined): string | undefined {
  return opened === undefined ? undefined : Buffer.from(opened.bytes).toString()
}

function seal(secret: Uint8Array, sequence: number, text: string, padding = 0): Buffer {
  const type = Uint8Array.of(CONTENT_TYPE.applicationData)
  return sealInner(secret, sequence, Buffer.concat([Buffer.from(text), type, Buffer.alloc(padding)]))
}

function sealInner(secret: Uint8Array, sequence: number, inner: Buffer): Buffer {
  const length = inner.length + 16
  const header = Buffer.from([CONTENT_TYPE.applicationData, 3, 3, length >> 8, length & 0xff])
  const iv = expandLabel('sha256', secret, 'iv', 12)
  const cipher = createCipheriv(
    'aes-128-gcm',
    expandLabel('sha256', secret, 'key', 16),
    nonceOf(iv, sequence),
  )
  cipher.setAAD(header)
  return Buffer.concat([header, cipher.update(inner), cipher.final(), cipher.getAuthTag()])
}
