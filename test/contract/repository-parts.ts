import { type CallRecord, Dissection, toCallRecord } from '@tapdeck/dissect'
import type { PacketSink } from '@tapdeck/wire'

/** What makes filters, columns, pages and texts for assistants out of the list of protocols, for one bundle. */
export { protocols } from '@tapdeck/dissect'
export { compile, createCatalog, fieldReference } from '@tapdeck/kfl'
export { callColumns } from '../../apps/cli/src/output/call-columns.ts'
export { Clock } from '../../apps/cli/src/output/clock.ts'
export { protocolLook } from '../../apps/dashboard/src/protocols/index.ts'
export { discovery } from '../../apps/hub/src/http/discovery.ts'
export { resourcesOf } from '../../apps/hub/src/mcp/resources.ts'

/** The calls of some packets. */
export function recordsOf(tell: (sink: PacketSink) => void): CallRecord[] {
  const records: CallRecord[] = []
  const dissection = new Dissection({
    emit: (call) => {
      const { ends } = call.flow
      records.push(toCallRecord(call, { src: ends[call.side], dst: ends[1 - call.side] }, 'node', 'file'))
    },
  })
  tell(dissection)
  dissection.end()
  return records
}
