import { open } from 'node:fs/promises'
import { createResolver, type Inventory } from '@tapdeck/inventory'
import { type CaptureWriter, PcapCapture, PcapngCapture } from './capture-writer.ts'
import { FlowComments } from './flow-comments.ts'
import { mergeCaptures } from './merge-captures.ts'
import { type PacketWish, packetChoice, wantsAll } from './packet-choice.ts'
import { readAhead } from './read-ahead.ts'

export interface CapturedNode {
  readonly node: string
  readonly path: string
  readonly size_bytes: number
  read(): AsyncGenerator<Uint8Array>
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
): Promise<SnapshotCapture> {
  const names = addressNames(inventory)
  const writer = (): CaptureWriter => (format === 'pcap' ? new PcapCapture() : new PcapngCapture(names))
  const { type, extension } = writer()
  const [only] = nodes
  const untouched = wantsAll(wish) && format === 'pcapng' && nodes.length === 1 && names.size === 0
  if (untouched && only && (await isPcapng(only.path)))
    // Nothing to leave out and nothing to add: the file as it lies.
    return { type, extension, size: only.size_bytes, pieces: () => readAhead(only.read()) }
  const resolver = createResolver(inventory)
  return {
    type,
    extension,
    pieces: () =>
      mergeCaptures(
        nodes.map(({ node, read }) => ({ node, chunks: read })),
        {
          choice: packetChoice(wish),
          writer: writer(),
          ...(format === 'pcapng' && names.size > 0 && { comments: new FlowComments(resolver) }),
        },
      ),
  }
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
async function isPcapng(path: string): Promise<boolean> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.readUInt32BE(0) === 0x0a0d0d0a
  } finally {
    await file.close()
  }
}
