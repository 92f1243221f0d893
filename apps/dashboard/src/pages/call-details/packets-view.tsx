import { useQuery } from '@tanstack/react-query'
import { type ListedPacket, listPackets } from '@tapdeck/wire/packet-list'
import { useState } from 'react'
import type { CallDetails } from '../../client/call-details.ts'
import { useCaller } from '../../client/caller.ts'
import { fetchBytes } from '../../client/fetch-bytes.ts'
import { hub } from '../../client/hub.ts'
import { countOf } from '../../format/amount.ts'
import { useKeptWindows } from '../../keep/keep-context.ts'
import { livePackets } from '../../keep/live-packets.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { PacketTable } from './packet-table.tsx'

const MAX_BYTES = 4 * 1024 * 1024
const MAX_PACKETS = 1000

export interface PacketsViewProps {
  readonly call: CallDetails
  readonly db: string | undefined
}

/** The packets of the connection of a call. */
export function PacketsView({ call, db }: PacketsViewProps) {
  const isKept = db !== undefined && db !== 'recording'
  const [taken, setTaken] = useState<{ readonly id: string; readonly address: string }>()
  const address = isKept
    ? hub.callPcapAddress(db, call.id)
    : taken?.id === call.id
      ? taken.address
      : undefined
  if (call.has_pcap !== true)
    return (
      <section className="part">
        <h3>Packets</h3>
        <p className="body-note">The packets of this call were not recorded.</p>
      </section>
    )
  return (
    <section className="part">
      <h3>Packets of the connection</h3>
      {address === undefined ? (
        <TakePackets call={call} onTaken={(found) => setTaken({ id: call.id, address: found })} />
      ) : (
        <Packets call={call} address={address} />
      )}
    </section>
  )
}

/** Live calls have their packets in the recording ring, which a snapshot takes them out of. */
function TakePackets({ call, onTaken }: { call: CallDetails; onTaken: (address: string) => void }) {
  const caller = useCaller()
  const kept = useKeptWindows()
  const [isBusy, setIsBusy] = useState(false)
  const take = async () => {
    setIsBusy(true)
    const address = await livePackets(call, kept)
    setIsBusy(false)
    if (address !== undefined) onTaken(address)
  }
  return (
    <>
      <p className="body-note">
        They are in the recording ring, which overwrites its oldest packets. A snapshot of some seconds around
        the call keeps them.
      </p>
      <Button
        icon="keep"
        busy={isBusy}
        reason={caller.reasonAgainst('snapshot:write') ?? caller.reasonAgainst('snapshot:read')}
        onClick={() => void take()}
      >
        Keep and show the packets
      </Button>
    </>
  )
}

function Packets({ call, address }: { readonly call: CallDetails; readonly address: string }) {
  const { data, error } = useQuery({
    queryKey: ['packets', address],
    queryFn: async ({ signal }) => {
      const { bytes, isCut } = await fetchBytes(address, MAX_BYTES, signal)
      const { packets, unlisted } = listPackets(bytes, MAX_PACKETS)
      return { packets: packets.toSorted(byTime), unlisted, isCut }
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })
  return (
    <>
      <a className="button" href={address} download title="For Wireshark">
        <Icon name="download" />
        Download pcapng
      </a>
      {error && <ProblemNote problem={error} />}
      {!data && !error && <p className="body-note">Loading…</p>}
      {data && (data.unlisted > 0 || data.isCut) && (
        <p className="body-note">
          The first {countOf(data.packets.length, 'packet')} are listed. The download has all of them.
        </p>
      )}
      {data && <PacketTable packets={data.packets} call={call} />}
    </>
  )
}

function byTime(a: ListedPacket, b: ListedPacket): number {
  return a.time - b.time
}
