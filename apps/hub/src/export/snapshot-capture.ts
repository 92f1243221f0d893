import { open } from 'node:fs/promises'
import { createResolver, type Inventory } from '@tapdeck/inventory'
import { Damaged, type Sieve } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { type CaptureWriter, PcapCapture, PcapngCapture } from './capture-writer.ts'
import { FlowComments } from './flow-comments.ts'
import { mergeCaptures } from './merge-captures.ts'
import { type PacketWish, packetChoice, wantsAll } from './packet-choice.ts'
import { readAhead } from './read-ahead.ts'
import { siftedCapture } from './sifted-capture.ts'

const MOST_REASONS = 20

export interface CapturedNode {
  readonly node: string
  readonly paths: readonly string[]
  readonly size_bytes: number
  read(damaged?: (reason: string) => void): AsyncGenerator<Uint8Array>
  /** Where it lies as the ring wrote it, block by block. */
  sift?(sieve: Sieve): AsyncGenerator<Uint8Array>
}

/** One capture file made of a snapshot. Each call of `pieces` gives the same bytes again. */
export interface SnapshotCapture {
  readonly type: string
  readonly extension: string
  /** Known where the bytes are passed on as they are. */
  readonly size?: number
  pieces(): AsyncGenerator<Uint8Array>
}

export async function snapshotCapture(
  nodes: readonly CapturedNode[],
  wish: PacketWish,
  format: 'pcapng' | 'pcap',
  inventory: Inventory,
  damaged: (reason: string) => void = () => {},
): Promise<SnapshotCapture> {
  const names = addressNames(inventory)
  const writer = (): CaptureWriter => (format === 'pcap' ? new PcapCapture() : new PcapngCapture(names))
  const { type, extension } = writer()
  const [only] = nodes
  const untouched = wantsAll(wish) && format === 'pcapng' && nodes.length === 1 && names.size === 0
  if (untouched && only && (await isPcapng(only.paths)))
    // Nothing to leave out and nothing to add: the file as it lies.
    return { type, extension, size: only.size_bytes, pieces: () => readAhead(only.read()) }
  const resolver = createResolver(inventory)
  const comments = () => (format === 'pcapng' && names.size > 0 ? new FlowComments(resolver) : undefined)
  const pieces = (told: (reason: string) => void) =>
    only?.sift && nodes.length === 1 && format === 'pcapng'
      ? siftedCapture({ node: only.node, sift: only.sift }, wish, names, comments(), told)
      : mergeCaptures(
          nodes.map(({ node, read, sift }) => ({
            node,
            chunks: () => read(told),
            ...(sift && { damaged: (blocks: number) => told(`${node}: ${blocks} damaged blocks`) }),
          })),
          { choice: packetChoice(wish), writer: writer(), comments: comments() },
        )
  return { type, extension, pieces: () => withDamage(pieces, format, damaged) }
}

/** What could not be read is told at the end of a pcapng; a pcap, which cannot tell it, does not end as it should. */
async function* withDamage(
  pieces: (damaged: (reason: string) => void) => AsyncGenerator<Uint8Array>,
  format: 'pcapng' | 'pcap',
  damaged: (reason: string) => void,
): AsyncGenerator<Uint8Array> {
  const reasons: string[] = []
  yield* pieces((reason) => {
    damaged(reason)
    reasons.push(reason)
  })
  if (reasons.length === 0) return
  const text = `tapdeck: incomplete: ${reasons.slice(0, MOST_REASONS).join('; ')}`
  if (format === 'pcap') throw new Damaged(text)
  const notice = new PcapngWriter()
  notice.section(text)
  yield notice.take()
}

/** Each address under the names people know it by. */
function addressNames({ pods, services }: Inventory): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  for (const { name, namespace, ips = [] } of [...pods, ...services])
    for (const ip of ips) {
      const known = names.get(ip)
      const full = `${name}.${namespace}`
      if (known === undefined) names.set(ip, [full])
      else if (!known.includes(full)) known.push(full)
    }
  return names
}

/** An imported file may be a classic pcap under the name of a pcapng. */
async function isPcapng([path]: readonly string[]): Promise<boolean> {
  if (path === undefined) return false
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.readUInt32BE(0) === 0x0a0d0d0a
  } finally {
    await file.close()
  }
}
