import type { OperationOutput } from '@tapdeck/api'
import type { ParquetRow } from '@tapdeck/index'

type Call = OperationOutput<'list_api_calls'>['calls'][number]

/** The columns of the table of calls; their meaning is in `docs/export.md`. */
export const callColumns = {
  id: 'VARCHAR',
  time: 'TIMESTAMPTZ',
  proto: 'VARCHAR',
  method: 'VARCHAR',
  path: 'VARCHAR',
  status: 'VARCHAR',
  error: 'VARCHAR',
  connection_end: 'VARCHAR',
  delivery: 'VARCHAR',
  latency_ms: 'DOUBLE',
  src_ip: 'VARCHAR',
  src_port: 'BIGINT',
  src_pod: 'VARCHAR',
  src_ns: 'VARCHAR',
  src_svc: 'VARCHAR',
  src_node: 'VARCHAR',
  dst_ip: 'VARCHAR',
  dst_port: 'BIGINT',
  dst_pod: 'VARCHAR',
  dst_ns: 'VARCHAR',
  dst_svc: 'VARCHAR',
  dst_node: 'VARCHAR',
  decrypted: 'BOOLEAN',
} as const

/** With `--payloads`. */
export const payloadColumns = {
  ...callColumns,
  ttfb_ms: 'DOUBLE',
  flow_id: 'BIGINT',
  node_id: 'VARCHAR',
  req_size: 'BIGINT',
  resp_size: 'BIGINT',
  src_process: 'VARCHAR',
  dst_process: 'VARCHAR',
  request: 'VARCHAR',
  response: 'VARCHAR',
} as const

export function callRow(call: Call): ParquetRow<typeof callColumns> {
  const { id, ts, proto, method, path, status, error, connection_end, delivery, latency_ms, src, dst } = call
  return {
    ...{ id, time: ts, proto, method, path, error, connection_end, delivery, latency_ms },
    ...(status !== undefined && { status: String(status) }),
    ...{ src_ip: src.ip, src_port: src.port, src_pod: src.pod, src_ns: src.ns },
    ...{ src_svc: src.svc, src_node: src.node },
    ...{ dst_ip: dst.ip, dst_port: dst.port, dst_pod: dst.pod, dst_ns: dst.ns },
    ...{ dst_svc: dst.svc, dst_node: dst.node },
    decrypted: call.decrypted === true,
  }
}

export function payloadRow(call: Call): ParquetRow<typeof payloadColumns> {
  return {
    ...callRow(call),
    ttfb_ms: numberOf(call.ttfb_ms),
    flow_id: numberOf(call.flow_id),
    node_id: textOf(call.node_id),
    req_size: numberOf(call.req_size),
    resp_size: numberOf(call.resp_size),
    src_process: jsonOf(call.src.process),
    dst_process: jsonOf(call.dst.process),
    request: jsonOf(call.request),
    response: jsonOf(call.response),
  }
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function jsonOf(value: unknown): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  return JSON.stringify(value)
}
