import { formatIPv4, formatIPv6, parseIp } from '@tapdeck/ip'
import { expect, test } from 'vitest'
import { PodAddresses } from './pod-addresses.ts'

const lo = [{ address: '127.0.0.1', family: 'IPv4' as const, internal: true }]
const v4 = (address: string) => ({ address, family: 'IPv4' as const, internal: false })
const v6 = (address: string) => ({ address, family: 'IPv6' as const, internal: false })

/** An Ethernet frame with an IP header; `options`: more bytes of the IPv4 header. */
function frame(src: string, dst: string, options = 0): Uint8Array {
  const [from, to] = [parseIp(src)!, parseIp(dst)!]
  const isV4 = from.length === 4
  const bytes = new Uint8Array(14 + (isV4 ? 20 + options : 40) + 8)
  bytes.set(isV4 ? [0x08, 0x00, 0x45 + options / 4] : [0x86, 0xdd, 0x60], 12)
  bytes.set(from, isV4 ? 26 : 22)
  bytes.set(to, isV4 ? 30 : 38)
  return bytes
}

function ends(bytes: Uint8Array): string[] {
  return bytes[12] === 0x08
    ? [formatIPv4(bytes, 26), formatIPv4(bytes, 30)]
    : [formatIPv6(bytes, 22), formatIPv6(bytes, 38)]
}

/** Sums to 0xffff over a header with a correct checksum. */
function sum(bytes: Uint8Array): number {
  let total = 0
  for (let at = 14; at < 14 + (bytes[14]! & 15) * 4; at += 2) total += (bytes[at]! << 8) | bytes[at + 1]!
  return (total & 0xffff) + (total >>> 16)
}

function replaced(pod: PodAddresses | undefined, src: string, dst: string): string[] {
  const bytes = frame(src, dst)
  pod!.replace(bytes, 0, bytes.length)
  return ends(bytes)
}

const dual = PodAddresses.of({ lo, eth0: [v6('fe80::1'), v4('10.244.1.5'), v6('fd00::5')] }, 7)

test.each([
  ['127.0.0.1', '127.0.0.1', ['10.244.1.5', '10.244.1.5']],
  ['127.0.0.53', '127.1.2.3', ['10.244.1.5', '10.244.1.5']],
  ['10.244.1.5', '127.0.0.1', ['10.244.1.5', '10.244.1.5']],
  ['127.0.0.1', '10.96.0.1', ['10.244.1.5', '10.96.0.1']],
  ['10.244.1.5', '10.244.1.5', ['10.244.1.5', '10.244.1.5']],
  ['::1', '::1', ['fd00::5', 'fd00::5']],
  ['::2', '::', ['::2', '::']],
  ['100::1', '::1', ['100::1', 'fd00::5']],
])('the loopback addresses of a packet %s > %s become those of the pod', (src, dst, expected) => {
  expect(replaced(dual, src, dst)).toEqual(expected)
})

test.each([0, 8, 40])('the IPv4 header has a correct checksum, with %d bytes of options', (options) => {
  const bytes = frame('127.0.0.1', '127.0.0.1', options)
  dual!.replace(bytes, 0, bytes.length)
  expect(sum(bytes)).toBe(0xffff)
})

test('a pod with one address family keeps the other apart from all other pods', () => {
  const onlyV4 = PodAddresses.of({ lo, eth0: [v4('10.244.1.6')] }, 7)
  expect(replaced(onlyV4, '::1', '::1')).toEqual(['::ffff:10.244.1.6', '::ffff:10.244.1.6'])
  const one = replaced(PodAddresses.of({ eth0: [v6('fd00::5')] }, 4_026_532_281), '127.0.0.1', '127.0.0.1')
  const other = replaced(PodAddresses.of({ eth0: [v6('fd00::6')] }, 4_026_532_282), '127.0.0.1', '127.0.0.1')
  expect(one).not.toEqual(other)
  for (const address of [...one, ...other]) expect(Number(address.split('.')[0])).toBeGreaterThanOrEqual(240)
})

test('a namespace without an address of its own is not a pod', () => {
  expect(PodAddresses.of({ lo, eth0: [v6('fe80::1')] }, 1)).toBeUndefined()
})

test('cut packets and other protocols stay as they are, whatever their length', () => {
  for (const whole of [frame('127.0.0.1', '127.0.0.1', 8), frame('::1', '::1')])
    for (let end = 0; end < 14 + 20; end++) {
      const bytes = whole.slice()
      dual!.replace(bytes, 0, end)
      expect(bytes).toEqual(whole)
    }
  const arp = frame('127.0.0.1', '127.0.0.1')
  arp.set([0x08, 0x06], 12)
  const before = arp.slice()
  dual!.replace(arp, 0, arp.length)
  expect(arp).toEqual(before)
})
