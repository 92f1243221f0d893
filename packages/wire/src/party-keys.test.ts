import { expect, test } from 'vitest'
import { ANY_PORT_KEY, addressKey, portKey } from './packet-keys.ts'
import { partyKeys } from './party-keys.ts'

const host = { ip: '10.0.0.1' }
const port = { port: 80 }

test('hosts and ports become keys; a fragment may belong to any port', () => {
  expect(partyKeys([])).toEqual([])
  expect(partyKeys([[host]])).toEqual([[addressKey('10.0.0.1')]])
  expect(partyKeys([[port]])).toEqual([[portKey(80), ANY_PORT_KEY]])
})

test('what named hosts ask of DNS is wanted too', () => {
  expect(partyKeys([[host], [port]])).toEqual([
    [addressKey('10.0.0.1')],
    [portKey(80), ANY_PORT_KEY, portKey(53)],
  ])
})

test('an empty list matches no packet', () => {
  expect(partyKeys([[host], []])).toBeUndefined()
  expect(partyKeys([[{ ip: 'no address' }]])).toBeUndefined()
})
