import { lateTextOf } from '../late-flow.ts'
import type { OpenFlow } from '../open-flows.ts'
import { RowBatch } from './row-batch.ts'
import { flowSchema } from './schema.ts'
import type { Words } from './words.ts'

type FlowBatch = RowBatch<typeof flowSchema>

/** The state that flows have now, as rows. */
export function flowRows(flows: readonly OpenFlow[], words: Words): readonly FlowBatch[] {
  const batches: FlowBatch[] = []
  for (const open of flows) {
    if (batches.at(-1)?.full ?? true) batches.push(new RowBatch(flowSchema))
    setRow(batches[batches.length - 1], open, words)
  }
  return batches
}

function setRow(batch: FlowBatch, open: OpenFlow, words: Words): void {
  const row = batch.count++
  const { flow } = open
  const { columns } = batch
  const [client, server] = flow.directions
  const { tcp } = flow
  columns.id[row] = flow.id
  columns.version[row] = (client.packets + server.packets) * 2 + (flow.closed === undefined ? 0 : 1)
  columns.client[row] = open.clientId
  columns.server[row] = open.serverId
  columns.client_port[row] = flow.ends[0].port
  columns.server_port[row] = flow.ends[1].port
  columns.transport[row] = words.id(flow.transport)
  columns.start_ts[row] = flow.start
  columns.last_ts[row] = flow.last
  columns.client_packets[row] = client.packets
  columns.client_bytes[row] = client.bytes
  columns.client_goodput[row] = client.goodput
  columns.client_missing[row] = client.missing
  columns.server_packets[row] = server.packets
  columns.server_bytes[row] = server.bytes
  columns.server_goodput[row] = server.goodput
  columns.server_missing[row] = server.missing
  columns.closed[row] = words.id(flow.closed)
  columns.tunnel[row] = words.id(flow.tunnel)
  const newHere = open.writtenPackets === 0
  const known = tcp?.handshake_us !== undefined
  columns.first[row] = newHere ? (open.carried ? 2 : 1) : 0
  columns.handshake[row] = known && !open.handshakeCounted ? 1 : known && newHere ? 2 : 0
  columns.handshake_us[row] = tcp?.handshake_us ?? Number.NaN
  columns.retransmissions[row] = tcp?.retransmissions ?? Number.NaN
  columns.out_of_order[row] = tcp?.out_of_order ?? Number.NaN
  columns.zero_window[row] = tcp?.zero_window ?? Number.NaN
  columns.resets[row] = tcp?.resets ?? Number.NaN
  columns.rtt_avg_us[row] = tcp?.rtt_avg_us ?? Number.NaN
  columns.client_zero_window_us[row] = tcp?.client_zero_window_us ?? Number.NaN
  columns.server_zero_window_us[row] = tcp?.server_zero_window_us ?? Number.NaN
  columns.client_fin_us[row] = tcp?.client_fin_us ?? Number.NaN
  columns.server_fin_us[row] = tcp?.server_fin_us ?? Number.NaN
  columns.client_reset_us[row] = tcp?.client_reset_us ?? Number.NaN
  columns.server_reset_us[row] = tcp?.server_reset_us ?? Number.NaN
  columns.late.set(row, lateTextOf(flow))
}
