import { expect, it } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { addressAnswers } from './address-answers.ts'

const ascii = (text: string) => [...text].map((character) => character.charCodeAt(0))
const name = (text: string) => [...text.split('.').flatMap((label) => [label.length, ...ascii(label)]), 0]
const record = (type: number, ttl: number, data: readonly number[]) => [
  ...[0xc0, 12, 0, type, 0, 1, 0, 0, 0, ttl, 0, data.length],
  ...data,
]

function dnsCall(rcode: number, records: readonly (readonly number[])[], port = 53): Call {
  const head = Uint8Array.from([
    ...[0, 7, 0x81, 0x80 | rcode, 0, 1, 0, records.length, 0, 0, 0, 0],
    ...[...name('db.shop'), 0, 1, 0, 1],
    ...records.flat(),
  ])
  const halves = {
    request: { kind: 'request', head: head.slice(0, 25) },
    response: { kind: 'response', head },
  } as const
  const flow = {
    ends: [
      { ip: '10.0.0.1', port: 40_000 },
      { ip: '10.0.0.2', port },
    ],
  }
  return { protocol: 'dns', flow, ...halves } as unknown as Call
}

it('tells the addresses of the name that was asked for, past its aliases', () => {
  const alias = record(5, 60, name('db-1.shop'))
  const six = [0x20, 1, 0xd, 0xb8, ...new Array<number>(11).fill(0), 5]
  expect(addressAnswers(dnsCall(0, [alias, record(1, 30, [10, 0, 0, 9]), record(28, 31, six)]))).toEqual({
    name: 'db.shop',
    addresses: [
      { ip: '10.0.0.9', ttl: 30 },
      { ip: '2001:db8::5', ttl: 31 },
    ],
  })
})

it('returns nothing for failures, other records and other protocols', () => {
  expect(addressAnswers(dnsCall(3, [record(1, 30, [10, 0, 0, 9])]))).toBeUndefined()
  expect(addressAnswers(dnsCall(0, [record(16, 30, [1, 65])]))).toBeUndefined()
  expect(addressAnswers(dnsCall(0, []))).toBeUndefined()
  expect(addressAnswers({ ...dnsCall(0, [record(1, 30, [10, 0, 0, 9])]), protocol: 'http' })).toBeUndefined()
})

it('believes only who speaks on a port of lookups', () => {
  const told = (port: number) => addressAnswers(dnsCall(0, [record(1, 30, [10, 0, 0, 9])], port))
  expect([53, 5353, 8600].map(told)).toEqual(
    [1, 2, 3].map(() => expect.objectContaining({ name: 'db.shop' })),
  )
  expect(told(54)).toBeUndefined()
})
