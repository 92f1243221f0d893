import { readClickhouseStorage } from '@tapdeck/index/clickhouse-storage'
import type { Catalog } from '@tapdeck/kfl'
import { parsePortRange } from '@tapdeck/units'
import type { Workers } from '../cluster/workers.ts'
import type { HubOptions } from '../hub-options.ts'
import { SharedIndex } from '../query/shared-index.ts'
import type { HubModule } from './hub-module.ts'

/** The index that all nodes share, with `tap.index.engine: clickhouse`. */
export interface IndexModule extends HubModule {
  /** Absent: each node has its own. */
  readonly sharedIndex: SharedIndex | undefined
}

/** Bytes that one query may take on the server. */
const QUERY_MEMORY = 4 * 1024 ** 3

/** Throws if the tables are of another version. A server that is away does not keep the hub from starting. */
export async function openSharedIndex(
  { config, log }: HubOptions,
  workers: Workers,
  catalog: Catalog,
): Promise<IndexModule> {
  const sharedIndex = config.tap.index.engine === 'clickhouse' ? await open() : undefined
  return {
    sharedIndex,
    keys: [],
    configure() {},
    close: async () => sharedIndex?.close(),
  }

  /** The client of ClickHouse is loaded only where it is used. */
  async function open(): Promise<SharedIndex> {
    const { openClickhouseIndex } = await import('@tapdeck/index/clickhouse')
    const index = await openClickhouseIndex(
      {
        ...readClickhouseStorage(config.tap.index.clickhouse, parsePortRange(config.tap.capture.ownPorts)),
        ...{ node: '', captureSource: '', maxBytes: 0, memory: QUERY_MEMORY },
        ...{ readOnly: true, createTables: true, mayBeAway: true },
        allNodes: { packetsSince: () => packetsSince(workers) },
      },
      catalog,
    )
    return new SharedIndex(index, catalog, log, Date.now)
  }
}

/** From when on the connected nodes have the packets of their calls. Unix milliseconds. */
function packetsSince({ connected }: Workers): ReadonlyMap<string, number> {
  return new Map(
    connected.map(({ node, report }) => [node, report.recording.oldest_ts ?? Number.POSITIVE_INFINITY]),
  )
}
