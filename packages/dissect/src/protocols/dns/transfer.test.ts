import { describe, expect, it } from 'vitest'
import { Transfer } from './transfer.ts'

const A = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 1]
const soa = (serial: number) => [
  0xc0,
  12,
  0,
  6,
  0,
  1,
  0,
  0,
  0,
  60,
  0,
  22,
  0,
  0,
  0,
  0,
  0,
  serial,
  ...Array(16).fill(0),
]

function message(records: readonly (readonly number[])[], rcode = 0): Uint8Array {
  const header = [0, 7, 0x84, rcode, 0, 1, 0, records.length, 0, 0, 0, 0]
  return Uint8Array.from([...header, 1, 0x7a, 0, 0, 252, 0, 1, ...records.flat()])
}
const goesOn = (transfer: Transfer, ...given: Parameters<typeof message>) => {
  const bytes = message(...given)
  return transfer.add(bytes, 0, bytes.length)
}

describe('a zone transfer', () => {
  it('ends with the record that it began with', () => {
    const transfer = new Transfer(false)
    expect(goesOn(transfer, [soa(5)])).toBe(true)
    expect(goesOn(transfer, [A, A])).toBe(true)
    expect(goesOn(transfer, [A, soa(5)])).toBe(false)
  })

  it('may be one message', () => expect(goesOn(new Transfer(false), [soa(5), A, soa(5)])).toBe(false))

  it('goes through older versions where it is incremental', () => {
    const transfer = new Transfer(true)
    expect(goesOn(transfer, [soa(5), soa(4), A, soa(4)])).toBe(true)
    expect(goesOn(transfer, [A, soa(5)])).toBe(false)
  })

  it('has nothing to say where the asker is up to date', () =>
    expect(goesOn(new Transfer(true), [soa(5)])).toBe(false))

  it('ends with an error', () => expect(goesOn(new Transfer(false), [], 9)).toBe(false))
})
