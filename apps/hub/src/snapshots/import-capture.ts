import { Problem } from '@tapdeck/api'
import { openCaptureFile, type SnapshotStore } from '@tapdeck/recording'
import { formatDuration } from '@tapdeck/units'
import { CaptureReader, type Loss, Malformed } from '@tapdeck/wire'
import { EventLoopTurn } from '../event-loop-turn.ts'

/** A few bytes unpack to many: what is read at once is bounded, and other requests are served in between. */
const MAX_READ_AT_ONCE = 64 * 1024

export interface ImportRequest {
  readonly name: string
  readonly node: string
  readonly bytes: AsyncIterable<Uint8Array>
  readonly append: boolean
  readonly more: boolean
  /** Default: `capture`. */
  readonly kind?: 'capture' | 'inventory'
}

/** Writes one capture into a snapshot as one of its nodes, counting as it comes. Throws 400 where it is no capture. */
export async function importCapture(
  store: SnapshotStore,
  { name, node, bytes }: ImportRequest,
): Promise<void> {
  if (store.get(name)?.nodes.some((known) => known.name === node && known.status === 'completed'))
    throw new Problem(409, 'node_taken', `Snapshot "${name}" already has packets of node "${node}"`)
  const loss: Loss = {}
  let first = Number.POSITIVE_INFINITY
  let last = Number.NEGATIVE_INFINITY
  const reader = new CaptureReader(
    {
      packet(_data, _start, _end, _length, time) {
        if (time < first) first = time
        if (time > last) last = time
      },
    },
    loss,
  )
  let damage: string | undefined
  const writer = await store.writer(name, node)
  try {
    const chunks = openCaptureFile(bytes, {
      damaged: (reason) => {
        damage = reason
      },
    })
    const turn = new EventLoopTurn()
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += MAX_READ_AT_ONCE) {
        reader.push(chunk.subarray(at, at + MAX_READ_AT_ONCE))
        await turn.yieldIfLong()
      }
      await writer.write(chunk)
    }
    reader.end()
    await writer.finish({ packet_count: reader.packets, dropped_packets: 0 })
  } catch (error) {
    await writer.abort(error instanceof Error ? error.message : String(error))
    if (!(error instanceof Malformed)) throw error
    throw new Problem(400, 'not_a_capture', `The body is not a capture file: ${error.message}`, {
      hint: 'Send a pcap or pcapng file, plain or gzipped.',
    })
  }
  const before = store.get(name)!
  const start_ts = least(before.start_ts, Math.floor(first / 1000))
  const end_ts = most(before.end_ts, Math.ceil(last / 1000))
  await store.update(name, {
    start_ts,
    end_ts,
    duration: formatDuration(start_ts === null || end_ts === null ? 0 : end_ts - start_ts),
    partial: before.partial || damage !== undefined || loss.truncated_file !== undefined,
  })
}

function least(known: number | null, found: number): number | null {
  return Number.isFinite(found) ? Math.min(known ?? found, found) : known
}

function most(known: number | null, found: number): number | null {
  return Number.isFinite(found) ? Math.max(known ?? found, found) : known
}
