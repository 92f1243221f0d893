import { bytes, Conversation } from '@tapdeck/wire/testing'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe, type ShownCall } from '../../conformance/observation.ts'

type Part = string | Uint8Array | readonly number[]

export function joined(...parts: readonly Part[]): Uint8Array {
  return Uint8Array.from(parts.flatMap((part) => [...(typeof part === 'string' ? bytes(part) : part)]))
}

export const int16 = (value: number): number[] => [(value >> 8) & 255, value & 255]
export const int32 = (value: number): number[] => [...int16(value >> 16), ...int16(value)]

/** A message with its type. */
export function message(type: string, ...parts: readonly Part[]): Uint8Array {
  const body = joined(...parts)
  return joined(type, int32(body.length + 4), body)
}

export function startup(user: string, database: string): Uint8Array {
  const body = joined(int32(196608), `user\0${user}\0database\0${database}\0\0`)
  return joined(int32(body.length + 4), body)
}

export const query = (text: string): Uint8Array => message('Q', `${text}\0`)
export const parse = (name: string, text: string): Uint8Array => message('P', `${name}\0${text}\0`, int16(0))
export const bind = (portal: string, name: string, ...values: readonly string[]): Uint8Array =>
  message(
    'B',
    `${portal}\0${name}\0`,
    int16(0),
    int16(values.length),
    ...values.flatMap((value) => [int32(bytes(value).length), value]),
    int16(0),
  )
export const execute = (portal = '', rows = 0): Uint8Array => message('E', `${portal}\0`, int32(rows))
export const sync = message('S')
export const ready = message('Z', 'I')
export const complete = (tag: string): Uint8Array => message('C', `${tag}\0`)
export const row = (...values: readonly string[]): Uint8Array =>
  message('D', int16(values.length), ...values.flatMap((value) => [int32(bytes(value).length), value]))
export const columns = (...names: readonly string[]): Uint8Array =>
  message(
    'T',
    int16(names.length),
    ...names.flatMap((name) => [
      `${name}\0`,
      int32(0),
      int16(0),
      int32(25),
      int16(0xffff),
      int32(-1),
      int16(0),
    ]),
  )
export const error = (code: string, text: string, severity = 'ERROR'): Uint8Array =>
  message('E', `S${severity}\0V${severity}\0C${code}\0M${text}\0\0`)

/** Calls out of what each side says in turn; with no handshake where they begin in the middle of a connection. */
export function callsOf(
  said: readonly (readonly [0 | 1, Uint8Array])[],
  options: { readonly midstream?: boolean; readonly port?: number } = {},
): readonly ShownCall[] {
  const talk = new Conversation({ serverPort: options.port ?? 5432 })
  if (!options.midstream) talk.handshake()
  for (const [side, data] of said) talk.send(side, data)
  talk.close()
  const { calls, faults } = observe(builtFixture('built', new URL(import.meta.url), talk.packets).events)
  if (faults.length > 0) throw faults[0]
  return calls
}

/** The columns that people look at first. */
export function rows(calls: readonly ShownCall[]): readonly unknown[] {
  return calls.map(({ method, path, status, error: failure }) => [method, path, status, failure])
}
