import { bytes, Conversation } from '@tapdeck/wire/testing'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe, type ShownCall } from '../../conformance/observation.ts'

type Part = string | Uint8Array | readonly number[]

export function joined(...parts: readonly Part[]): Uint8Array {
  const all = parts.map((part) => (typeof part === 'string' ? bytes(part) : Uint8Array.from(part)))
  const whole = new Uint8Array(all.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of all) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export const int32 = (value: number): number[] => [
  value & 255,
  (value >> 8) & 255,
  (value >> 16) & 255,
  value >>> 24,
]

export function packet(sequence: number, ...parts: readonly Part[]): Uint8Array {
  const body = joined(...parts)
  return joined([body.length & 255, (body.length >> 8) & 255, body.length >> 16, sequence], body)
}

export const text = (value: string): Uint8Array => joined([bytes(value).length], value)
export const query = (statement: string): Uint8Array => packet(0, [3], statement)
export const ok = (sequence: number, affected = 0, status = 2): Uint8Array =>
  packet(sequence, [0, affected, 0, status & 255, status >> 8, 0, 0])
export const eof = (sequence: number, status = 2): Uint8Array => packet(sequence, [0xfe, 0, 0, status, 0])
export const err = (sequence: number, code: number, message: string): Uint8Array =>
  packet(sequence, [0xff, code & 255, code >> 8], `#42000${message}`)
export const column = (sequence: number, name: string, type = 0xfd): Uint8Array =>
  packet(sequence, text('def'), text(''), text(''), text(''), text(name), text(''), [
    12,
    45,
    0,
    0,
    1,
    0,
    0,
    type,
    0,
    0,
    0,
    0,
    0,
  ])

export const greeting = (capabilities = 0x8fffffff): Uint8Array =>
  packet(
    0,
    [10],
    '8.0.35\0',
    int32(7),
    '12345678\0',
    [
      capabilities & 255,
      (capabilities >> 8) & 255,
      45,
      2,
      0,
      (capabilities >> 16) & 255,
      capabilities >>> 24,
      21,
    ],
    new Uint8Array(10),
    '123456789012\0caching_sha2_password\0',
  )
/** 4.1, secure connection, plugin, and what is given. */
export const login = (more = 0): Uint8Array =>
  packet(
    1,
    int32(0x88200 | 0x8 | more),
    int32(0x1000000),
    [45],
    new Uint8Array(23),
    'app\0',
    text('HIDDEN'),
    'shop\0caching_sha2_password\0',
  )

/** Calls out of what each side says in turn; with no handshake where they begin in the middle of a connection. */
export function callsOf(
  said: readonly (readonly [0 | 1, Uint8Array])[],
  options: { readonly midstream?: boolean; readonly port?: number } = {},
): readonly ShownCall[] {
  const talk = new Conversation({ serverPort: options.port ?? 3306, segmentSize: 60_000 })
  if (!options.midstream) talk.handshake()
  for (const [side, data] of said) talk.send(side, data)
  talk.close()
  const { calls, faults } = observe(builtFixture('built', new URL(import.meta.url), talk.packets).events)
  if (faults.length > 0) throw faults[0]
  return calls
}

/** The columns that people look at first. */
export function rows(calls: readonly ShownCall[]): readonly unknown[] {
  return calls.map(({ method, path, status, error }) => [method, path, status, error])
}
