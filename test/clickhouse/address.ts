import { randomUUID } from 'node:crypto'
import type { ClickhouseAddress } from '../../packages/index/src/clickhouse/connection.ts'

const {
  TAPDECK_CLICKHOUSE_URL: url,
  TAPDECK_CLICKHOUSE_USER: user,
  TAPDECK_CLICKHOUSE_PASSWORD: password,
} = process.env

/** The server that `npm run clickhouse` started, or that the environment names, with a database of this run. */
export function address(): ClickhouseAddress {
  if (!url) throw new Error('No ClickHouse to test against. Run `npm run clickhouse`.')
  return {
    url,
    database: 'tapdeck_test',
    // ClickHouse in WebAssembly is slow, on a busy machine very slow.
    timeoutMs: 500_000,
    ...(user !== undefined && { user }),
    ...(password !== undefined && { password }),
  }
}

/** A name for tables that no other test has. */
export function uniqueName(): string {
  return `t${randomUUID().replaceAll('-', '')}`
}

/** The file system of ClickHouse in WebAssembly has no hard links. */
export const tableSettings = { always_use_copy_instead_of_hardlinks: 1 }
