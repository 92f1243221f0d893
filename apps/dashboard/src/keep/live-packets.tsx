import { useState } from 'react'
import type { CallDetails } from '../client/call-details.ts'
import { addressOf } from '../client/call-operation.ts'
import { useCaller } from '../client/caller.ts'
import { Button } from '../ui/button.tsx'
import { connectionFilter } from './connection-filter.ts'
import { useKeptWindows } from './keep-context.ts'
import { windowName } from './window-name.ts'

/** The packets before and after a call that belong to its connection. */
const MARGIN_MS = 5000

/** The packets of a live call are in the recording ring: a short snapshot takes them out, for Wireshark. */
export function LivePackets({ call }: { readonly call: CallDetails }) {
  const caller = useCaller()
  const kept = useKeptWindows()
  const [isBusy, setIsBusy] = useState(false)
  const download = async () => {
    setIsBusy(true)
    const start = Math.floor(call.ts - MARGIN_MS)
    const end = Math.ceil(call.ts + (call.latency_ms ?? 0) + MARGIN_MS)
    const name = await kept.keep({ start, end }, windowName('packets', call.ts), false)
    setIsBusy(false)
    if (name === undefined) return
    const link = document.createElement('a')
    link.href = addressOf('export_snapshot_pcap', { name, bpf_filter: connectionFilter(call) })
    link.download = `${name}.pcapng`
    link.click()
  }
  return (
    <Button
      icon="download"
      look="bare"
      busy={isBusy}
      reason={caller.reasonAgainst('snapshot:write') ?? caller.reasonAgainst('snapshot:read')}
      title="Makes a snapshot of some seconds around this call and downloads the packets of its connection, for Wireshark"
      onClick={() => void download()}
    >
      Packets
    </Button>
  )
}
