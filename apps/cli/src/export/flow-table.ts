import type { OperationOutput } from '@tapdeck/api'
import type { ParquetRow } from '@tapdeck/index'

type Flow = OperationOutput<'list_l4_flows'>['flows'][number]

/** The columns of the table of flows; their meaning is in `docs/export.md`. */
export const flowColumns = {
  transport: 'VARCHAR',
  client_ip: 'VARCHAR',
  client_pod: 'VARCHAR',
  client_ns: 'VARCHAR',
  client_svc: 'VARCHAR',
  client_node: 'VARCHAR',
  server_ip: 'VARCHAR',
  server_port: 'BIGINT',
  server_pod: 'VARCHAR',
  server_ns: 'VARCHAR',
  server_svc: 'VARCHAR',
  server_node: 'VARCHAR',
  flows: 'BIGINT',
  start: 'TIMESTAMPTZ',
  last: 'TIMESTAMPTZ',
  client_packets: 'BIGINT',
  client_bytes: 'BIGINT',
  server_packets: 'BIGINT',
  server_bytes: 'BIGINT',
  handshake_p50_us: 'DOUBLE',
  handshake_p90_us: 'DOUBLE',
  handshake_p99_us: 'DOUBLE',
  retransmissions: 'BIGINT',
  out_of_order: 'BIGINT',
  zero_window: 'BIGINT',
  resets: 'BIGINT',
} as const

export function flowRow(flow: Flow): ParquetRow<typeof flowColumns> {
  const { client, server, client_stats: sent, tcp } = flow
  return {
    transport: flow.proto,
    ...{ client_ip: client.ip, client_pod: client.pod, client_ns: client.ns },
    ...{ client_svc: client.svc, client_node: client.node },
    ...{ server_ip: server.ip, server_port: server.port, server_pod: server.pod, server_ns: server.ns },
    ...{ server_svc: server.svc, server_node: server.node },
    ...{ flows: flow.flows, start: flow.start_ts, last: flow.last_ts },
    ...{ client_packets: sent.tx_pkts, client_bytes: sent.tx_bytes },
    ...{ server_packets: sent.rx_pkts, server_bytes: sent.rx_bytes },
    handshake_p50_us: sent.tcp_handshake_p50_us,
    handshake_p90_us: sent.tcp_handshake_p90_us,
    handshake_p99_us: sent.tcp_handshake_p99_us,
    retransmissions: tcp?.retransmissions ?? 0,
    out_of_order: tcp?.out_of_order ?? 0,
    zero_window: tcp?.zero_window ?? 0,
    resets: tcp?.resets ?? 0,
  }
}
