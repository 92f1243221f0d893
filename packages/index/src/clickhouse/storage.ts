import { readFileSync } from 'node:fs'
import { type PortRange, parseDuration, parseSize } from '@tapdeck/units'
import type { ClickhouseAddress } from './connection.ts'

/** The section `tap.index.clickhouse` of the configuration. */
interface ClickhouseSection {
  readonly url: string
  readonly database: string
  readonly user: string
  readonly passwordFile: string
  readonly ca: string
  readonly timeout: string
  readonly batchRows: number
  readonly queueSize: string | number
  readonly retention: string
}

/** Where calls are stored, and within which limits. It is plain data, which a thread can be given. */
export interface ClickhouseStorage {
  readonly address: ClickhouseAddress
  /** What the names of the tables begin with. */
  readonly name: string
  /** Bytes that may wait in memory while the server is away. */
  readonly maxQueuedBytes: number
  readonly maxInsertRows: number
  /** Seconds after which the server deletes rows; 0: never. */
  readonly keepSeconds: number
}

/** Names of the tables of live calls: `live_calls` and `live_flows`. */
const LIVE = 'live'

/** Reads the files that the section names. Throws with what is missing. `ports`: the source ports of connections; absent: any. */
export function readClickhouseStorage(
  section: ClickhouseSection,
  ports?: PortRange,
  password = process.env.TAPDECK_CLICKHOUSE_PASSWORD,
): ClickhouseStorage {
  const { url, database, user, passwordFile, ca, timeout, batchRows, queueSize, retention } = section
  if (url === '')
    throw new Error(
      'tap.index.engine is clickhouse, and tap.index.clickhouse.url is empty. Set it to the address of ClickHouse, such as http://clickhouse:8123.',
    )
  const secret = passwordFile === '' ? password : read(passwordFile, 'passwordFile').trim()
  return {
    address: {
      ...{ url, database, user, timeoutMs: parseDuration(timeout) ?? 0 },
      ...(secret && { password: secret }),
      ...(ca !== '' && { ca: read(ca, 'ca') }),
      ...(ports && { ports }),
    },
    name: LIVE,
    maxQueuedBytes: parseSize(String(queueSize)) ?? 0,
    maxInsertRows: batchRows,
    keepSeconds: Math.ceil((parseDuration(retention) ?? 0) / 1000),
  }
}

function read(path: string, key: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`tap.index.clickhouse.${key} names a file that cannot be read: ${reason}`, {
      cause: error,
    })
  }
}
