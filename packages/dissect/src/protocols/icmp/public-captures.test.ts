import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/', import.meta.url)

/** Source, identifier, sequence number and round trip, as tshark 4.0 shows them. */
const EXPECTED: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'icmp/icmp4_ping.pcap': [['10.0.0.1', 5, 1, 20.13]],
  'icmp/icmp4_ping_over_vlan.pcap': [['10.0.0.1', 5, 1, 12.192]],
  'icmp/icmp6_ping.pcap': [['::1', 5, 1, 16.439]],
  'icmp/icmp6_ping_over_vlan.pcap': [['::1', 5, 1, 12.333]],
  'icmp/icmp_2_pings.pcap': [
    ['10.0.0.1', 5, 1, 12.152],
    ['10.0.0.1', 5, 2, 11.935],
  ],
  '802.1q-q-in-q-icmp.pcap': [['192.168.1.1', 512, 8192, 'unfinished']],
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('%s gives every echo', (name, expected) => {
    const { calls, faults } = observe(captureFixture(new URL(name, folder)).events)
    expect(faults).toEqual([])
    const echoes = calls.map(({ src, icmp, latency_ms, error }) => {
      const { id, sequence } = Object(icmp)
      return [src.ip, id, sequence, latency_ms ?? error]
    })
    expect(echoes).toEqual(expected)
  })
})
