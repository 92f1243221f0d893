import type { FlowPeer, FlowRow, HandshakePercentiles } from '@tapdeck/questions'

/** What identifies a peer in each view, and its other columns. */
export const flowViews: Readonly<
  Record<string, { readonly key: readonly string[]; readonly also: readonly string[] }>
> = {
  address: { key: ['ip'], also: ['pod', 'ns', 'svc', 'node'] },
  pod: { key: ['pod', 'ns', 'address'], also: ['svc', 'node'] },
  service: { key: ['svc', 'ns', 'address'], also: [] },
  namespace: { key: ['ns'], also: [] },
  node: { key: ['node'], also: [] },
}

/** The place of a row's key among its columns. */
export const KEY = 23
export const KEY_SEPARATOR = '\u001f'
/** Rows that are counted over several indexes. */
export const MAX_HASHES = 100_000

/** Ways in which the peers end a connection. Other reasons say that we stopped watching. */
export const ENDED = ['fin', 'reset', 'refused', 'reused'] as const

/** Counters of TCP that say that something is wrong. */
export const TROUBLE = ['retransmissions', 'out_of_order', 'zero_window', 'resets'] as const

const OPEN = KEY + 1 + TROUBLE.length

export const PEER = ['ip', 'pod', 'ns', 'svc', 'node'] as const

/** A row of an engine: its columns are in this order in every engine; `row[22]`, the handshakes, is read by the engine. */
export function flowRow(row: readonly unknown[], handshake: HandshakePercentiles): FlowRow {
  const [txPackets, txBytes, rxPackets, rxBytes, packets, bytes] = row.slice(13, 19).map(Number)
  const [last, start, flows] = row.slice(19, 22).map(Number)
  const seconds = Math.max((last - start) / 1e6, 1)
  const port = row[2] === null ? {} : { port: Number(row[2]) }
  return {
    proto: String(row[1]),
    client: peerOf(row.slice(3, 8)),
    server: { ...peerOf(row.slice(8, 13)), ...port },
    client_stats: {
      tx_pkts: txPackets,
      rx_pkts: rxPackets,
      tx_bytes: txBytes,
      rx_bytes: rxBytes,
      ...handshake,
    },
    server_stats: {
      tx_pkts: rxPackets,
      rx_pkts: txPackets,
      tx_bytes: rxBytes,
      rx_bytes: txBytes,
      ...handshake,
    },
    totals: { pkts: packets, bytes, pps: packets / seconds, bps: bytes / seconds },
    flows,
    start_ts: start / 1000,
    last_ts: last / 1000,
    ...troubleOf(row.slice(KEY + 1, OPEN).map(Number), row.slice(OPEN + 2, OPEN + 4)),
    ...(Number(row[OPEN]) > 0 && { open: Number(row[OPEN]), open_last_ts: Number(row[OPEN + 1]) / 1000 }),
  }
}

function troubleOf(counts: readonly number[], closed: readonly unknown[]): Pick<FlowRow, 'tcp'> {
  if (counts.every((count) => count === 0)) return {}
  const [client, server] = closed.map((us) => (us === null ? undefined : Number(us) / 1000))
  const [retransmissions = 0, out_of_order = 0, zero_window = 0, resets = 0] = counts
  return {
    tcp: {
      ...{ retransmissions, out_of_order, zero_window, resets },
      ...(client !== undefined && { client_zero_window_ts: client }),
      ...(server !== undefined && { server_zero_window_ts: server }),
    },
  }
}

function peerOf(values: readonly unknown[]): FlowPeer {
  return Object.fromEntries(PEER.map((name, i) => [name, values[i]]).filter(([, value]) => value !== null))
}
