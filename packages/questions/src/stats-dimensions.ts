/** What a group of calls has in common. Without `src`, a name is that of the server. The page loads this list: it imports nothing. */
export const statsDimensions = [
  'service',
  'workload',
  'path',
  'status',
  'proto',
  'src',
  'dst',
  'node',
  'ns',
  'time',
  'method',
  'error',
  'connection_end',
  'src_service',
  'src_workload',
  'src_node',
  'src_ns',
] as const

export type StatsDimension = (typeof statsDimensions)[number]

/** One dimension, or several separated by commas: see `partsOfGroup`. */
export type StatsGroupBy = StatsDimension | `${StatsDimension},${string}`
