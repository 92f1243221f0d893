import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/', import.meta.url)

/** Method, status and rows of each call, as tshark 4.0 shows them. */
const EXPECTED: Readonly<Record<string, readonly (readonly unknown[])[]>> = {
  'pgsql_extended_query.pcap': [
    ['StartupMessage', 'ok', undefined],
    ['SET', 'ok', undefined],
    ['SELECT', 'ok', 1],
  ],
  'pgsql_insert.pcap': [['INSERT', 'ok', undefined]],
  'pgsql_insert_error.pcap': [['INSERT', '23505', undefined]],
  'pgsql_long_result.pcap': [['SELECT', 'ok', 15]],
  'pgsql_request_response.pcap': [['SELECT', 'ok', 4]],
  'pgsql_rt.pcap': [
    ['SSLRequest', 'refused', undefined],
    ['StartupMessage', 'abandoned', undefined],
    ['SSLRequest', 'refused', undefined],
    ['StartupMessage', 'ok', undefined],
    ['SELECT', 'ok', 2],
  ],
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('%s gives its calls', (name, expected) => {
    const { calls, faults } = observe(captureFixture(new URL(name, folder)).events)
    expect(faults).toEqual([])
    const shown = calls.map(({ method, status, postgresql }) => [
      method,
      status,
      Reflect.get(Object(postgresql), 'rows'),
    ])
    expect(shown).toEqual(expected)
  })
})
