import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/cassandra/v4/', import.meta.url)

/** Calls, as many as tshark (`-d tcp.port==9042,cql`) shows requests. */
const EXPECTED: readonly (readonly [name: string, count: number, last: string])[] = [
  ['compressed', 20, 'QUERY Rows 1'],
  ['create_index', 8, 'QUERY Rows 1'],
  ['create_keyspace', 4, 'QUERY Rows 1'],
  ['create_table', 8, 'QUERY Rows 0'],
  ['insert', 1, 'QUERY Void '],
  ['mixed_frame', 17, 'QUERY Rows 1'],
  ['select', 1, 'QUERY Rows 1'],
  ['select_via_index', 1, 'QUERY Rows 1'],
  ['trace_err', 1, 'QUERY Config_error '],
]

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(EXPECTED)('%s', (name, count, last) => {
    const { calls } = observe(captureFixture(new URL(`cassandra_${name}.pcap`, folder)).events)
    const own = calls.filter(({ proto }) => proto === 'cassandra')
    const { method, status, cassandra } = own[own.length - 1]
    const rows: unknown = Reflect.get(Object(cassandra), 'rows')
    expect([own.length, `${method} ${status} ${rows ?? ''}`]).toEqual([count, last])
    expect(own.every(({ path, method: said }) => path !== undefined || said !== 'QUERY')).toBe(true)
  })
})
