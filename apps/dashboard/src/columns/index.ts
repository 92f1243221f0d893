import type { Column } from './column.ts'
import { latencyColumn } from './latency.tsx'
import { methodColumn } from './method.tsx'
import { pathColumn } from './path.tsx'
import { peersColumn } from './peers.tsx'
import { protocolColumn } from './protocol.tsx'
import { statusColumn } from './status.tsx'
import { timeColumn } from './time.tsx'

/** THE list of built-in columns, in their first order from left to right. Fields can be added as further ones. */
export const columns: readonly Column[] = [
  timeColumn,
  protocolColumn,
  methodColumn,
  pathColumn,
  statusColumn,
  peersColumn,
  latencyColumn,
]
