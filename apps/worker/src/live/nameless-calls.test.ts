import type { Call, Peers } from '@tapdeck/dissect'
import { Dissection } from '@tapdeck/dissect'
import { entriesOf, NameIndex } from '@tapdeck/inventory'
import type { Flow } from '@tapdeck/wire'
import { Conversation, ETHERNET, feed } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { NamelessCalls } from './nameless-calls.ts'

let names: NameIndex
let released: string[]
let nameless: NamelessCalls

const CLIENT = '10.244.1.5'
const peersOf = ({ ends: [src, dst] }: Flow): Peers => ({
  src: { ...src, ...names.resolve(src.ip, src.port, 0) },
  dst: { ...dst, ...names.resolve(dst.ip, dst.port, 0) },
})

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  names = new NameIndex({
    pods: [],
    services: [],
    nodes: [{ name: 'n1', ips: ['192.0.2.1'], podCIDRs: ['10.244.1.0/24'] }],
  })
  released = []
  nameless = new NamelessCalls({
    resolver: () => names,
    name: ({ flow }) => peersOf(flow),
    nameFlow: peersOf,
    release: ({ response }, { src, dst }) =>
      released.push(`${src.pod ?? src.dns} ${dst.svc} ${response?.size}`),
    releaseFlow: (_, { src }) => released.push(`flow ${src.pod}`),
  })
})
afterEach(() => {
  nameless.flush()
  vi.useRealTimers()
})

function callOf(client = CLIENT): Call {
  const found: Call[] = []
  const dissection = new Dissection({ emit: (call) => found.push(call) })
  const talk = new Conversation({ client })
    .handshake()
    .send(0, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    .close()
  feed(dissection, talk.packets, ETHERNET)
  dissection.end()
  return found[0]!
}

const hold = (call = callOf()) => nameless.hold(call, peersOf(call.flow))
const learnPod = (ip = CLIENT) =>
  names.apply({
    put: [...entriesOf({ pods: [{ name: 'job-1', namespace: 'shop', ips: [ip] }], services: [] })],
    drop: [],
  })

test('a call and its flow are held until the name of its pod arrives, and keep the names that they had', () => {
  const call = callOf()
  const { src, dst } = peersOf(call.flow)
  expect(nameless.hold(call, { src, dst: { ...dst, svc: 'api' } })).toBe(true)
  expect(nameless.holdFlow(call.flow, { src, dst })).toBe(true)
  expect(nameless.oldestEnd).toBe(call.end / 1000)
  nameless.check()
  expect(released).toEqual([])
  learnPod()
  nameless.check()
  expect(released).toEqual([`job-1 api ${call.response?.size}`, 'flow job-1'])
  expect([nameless.oldestEnd, nameless.unnamed]).toEqual([undefined, 0])
})

test('a name that does not come in time is not waited for again for a minute', () => {
  expect(hold()).toBe(true)
  vi.advanceTimersByTime(4000)
  expect(released).toHaveLength(0)
  vi.advanceTimersByTime(2000)
  expect(released).toHaveLength(1)
  expect(hold()).toBe(false)
  expect(hold(callOf('10.244.1.6'))).toBe(true)
  expect(nameless.unnamed).toBe(2)
  vi.advanceTimersByTime(61_000)
  expect(hold()).toBe(true)
})

test('only ends that can be pods are waited for', () => {
  for (const client of ['10.244.1.0', '10.244.1.1', '192.0.2.1', '8.8.8.8'])
    expect([client, hold(callOf(client))]).toEqual([client, false])
  learnPod()
  expect(hold()).toBe(false)
  expect(nameless.unnamed).toBe(0)
})

test('above its bounds a call is indexed at once, and counted', () => {
  const call = callOf()
  let held = 0
  while (held < 100_000 && hold(call)) held++
  expect(held).toBe(10_000)
  expect(nameless.unnamed).toBe(1)
  learnPod()
  nameless.check()
  expect(released).toHaveLength(10_000)
})
