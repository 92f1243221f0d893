import { addressKey, portKey } from '@tapdeck/wire'
import { udpFrame } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import { Conversations } from './conversations.ts'

const client = { ip: '10.0.0.1', port: 4000 }
const server = { ip: '10.0.0.2', port: 53 }
const ETHERNET = 1

interface Peer {
  readonly ip: string
  readonly port: number
}

function datagram(from: Peer, to: Peer): Uint8Array {
  return udpFrame({
    src: from.ip,
    dst: to.ip,
    sport: from.port,
    dport: to.port,
    payload: new Uint8Array(64),
  })
}

/** A frame of the conversation as a piece of a larger datagram: more follows, or it is not the first. */
function fragment(frame: Uint8Array, offset: number, more: boolean): Uint8Array {
  const piece = frame.slice()
  piece[20] = (more ? 0x20 : 0) | (offset >> 8)
  piece[21] = offset & 255
  return piece
}

it('has the fragments of its datagrams, in its time and between its ends only', () => {
  const wanted = new Conversations()
  wanted.add('n', client, server, 1000, 2000)
  const asked = (frame: Uint8Array, time = 1500, node = 'n') =>
    wanted.of(node)(frame, 0, frame.length, frame.length, time, ETHERNET)
  const whole = datagram(client, server)
  const other = datagram({ ip: '10.0.0.3', port: 4000 }, server)
  expect(asked(whole)).toBe(true)
  expect(asked(datagram(client, { ...server, port: 54 }))).toBe(false)
  for (const frame of [fragment(whole, 0, true), fragment(whole, 185, true), fragment(whole, 370, false)]) {
    expect(asked(frame)).toBe(true)
    expect(asked(frame, 2001)).toBe(false)
    expect(asked(frame, 1500, 'm')).toBe(false)
  }
  expect(asked(fragment(other, 185, false))).toBe(false)
})

it('asks the index for both ends and the time: one client of a busy server does not read the others', () => {
  const calls = new Conversations()
  calls.add('n', client, server, 1000, 2000)
  calls.add('n', { ip: '10.0.0.4', port: 4001 }, server, 5000, 6000)
  const has = (keys: readonly number[]) =>
    calls.wanted('n').anyOf.every((list) => keys.some((key) => list.includes(key)))
  const keysOf = (from: Peer, to: Peer) => [
    ...[from, to].map(({ ip }) => addressKey(ip)),
    ...[from, to].map(({ port }) => portKey(port)),
  ]
  expect(has(keysOf(client, server))).toBe(true)
  expect(has(keysOf(server, client))).toBe(true)
  expect(has(keysOf({ ip: '10.0.0.3', port: 4000 }, server))).toBe(false)
  expect(has(keysOf({ ...client, port: 9 }, server))).toBe(false)
  expect(calls.wanted('n')).toMatchObject({ from: 1000, until: 6000 })
  const none = calls.wanted('m')
  expect(none.from).toBeGreaterThan(none.until)
})
