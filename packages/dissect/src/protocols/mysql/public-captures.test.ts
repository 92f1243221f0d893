import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

/** Captures of other projects, which are not part of this one. Skipped if the folder is missing. */
const folder = new URL('../../../../../../shared/captures/packetbeat/', import.meta.url)

/** Commands with logins, failures and rows in all, as tshark 4.0 shows them. */
const EXPECTED: Readonly<Record<string, readonly [calls: number, failures: number, rows: number]>> = {
  'mysql_affected_rows.pcap': [1, 0, 0],
  'mysql_connection.pcap': [8, 0, 2],
  'mysql_err_database_not_selected.pcap': [1, 1, 0],
  'mysql_int_string_operations.pcap': [159, 0, 144],
  'mysql_long.pcap': [1, 0, 400],
  'mysql_long_result.pcap': [1, 0, 15],
  'mysql_prepare_statement.pcap': [2, 0, 1],
  'mysql_windows_lineending.pcap': [2, 0, 1],
  // 13 KB of the 400 rows are missing.
  'mysql_with_gap.pcap': [1, 0, 371],
  'mysql_with_whitespaces.pcap': [13, 0, 2],
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('%s gives its calls', (name, expected) => {
    const { calls, faults } = observe(captureFixture(new URL(name, folder)).events)
    expect(faults).toEqual([])
    expect(calls.every(({ proto }) => proto === 'mysql')).toBe(true)
    const rows = calls.map(({ mysql }) => Number(Reflect.get(Object(mysql), 'rows') ?? 0))
    const failures = calls.filter(({ error }) => error !== undefined)
    expect([calls.length, failures.length, rows.reduce((sum, count) => sum + count, 0)]).toEqual(expected)
  })
})
