import { formatBytes } from '@tapdeck/units'
import { useBoundaries } from '../../client/use-hub.ts'
import { count, countOf } from '../../format/amount.ts'
import { span } from '../../format/duration.ts'
import { timeWindow } from '../../format/time.ts'
import { useSession } from '../../live/session-context.ts'
import { useStore } from '../../live/use-store.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { LostWhere, type PacketDrops } from './lost-where.tsx'

/** What the recording holds now: the most a snapshot can reach back. */
export function RecordedRange() {
  const { data, error } = useBoundaries()
  const nodes = useStore(useSession().nodes)
  if (error) return <ProblemNote problem={error} />
  if (!data) return <p className="soft">Asking the nodes…</p>
  const { oldest_ts, newest_ts } = data.cluster
  if (oldest_ts === null || newest_ts === null)
    return (
      <p className="soft">
        {nodes.some((node) => node.connected)
          ? 'Nothing is recorded yet. Packets are kept from the moment a worker captures.'
          : 'No node is connected, so the recorded time range is not known now. Nothing is lost.'}
      </p>
    )
  const packets = data.nodes.reduce((sum, node) => sum + node.packet_count, 0)
  const size = data.nodes.reduce((sum, node) => sum + node.size_bytes, 0)
  const dropped = data.nodes.reduce((sum, node) => sum + node.dropped_packets, 0)
  return (
    <div className="recorded">
      <p>
        <b>{span(newest_ts - oldest_ts)}</b> recorded on {countOf(data.nodes.length, 'node')}
      </p>
      <p className="mono">{timeWindow(oldest_ts, newest_ts)}</p>
      <p className="soft">
        {count(packets)} packets, {formatBytes(size)}
        {dropped > 0 && (
          <span className="badge warn">
            {countOf(dropped, 'packet')} dropped
            <LostWhere drops={sum(data.nodes.map(({ drops }) => drops))} />
          </span>
        )}
      </p>
    </div>
  )
}

function sum(all: readonly PacketDrops[]): PacketDrops {
  const of = (where: keyof PacketDrops) => all.reduce((total, drops) => total + drops[where], 0)
  return { kernel: of('kernel'), queue: of('queue'), disk: of('disk') }
}
