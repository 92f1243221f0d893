import { open } from 'node:fs/promises'
import type { Inventory } from '@tapdeck/inventory'
import { type CaptureWriter, PcapngWriter, PcapWriter } from './capture-writer.ts'
import { type MergeWindow, mergeCaptures } from './merge-captures.ts'

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
  window: MergeWindow,
  format: 'pcapng' | 'pcap',
  inventory: Inventory,
): Promise<SnapshotCapture> {
  const names = [...addressNames(inventory)]
  const writer = (): CaptureWriter => (format === 'pcap' ? new PcapWriter() : new PcapngWriter(names))
  const { type, extension } = writer()
  const whole = window.start === undefined && window.end === undefined
  const [only] = nodes
  if (whole && format === 'pcapng' && nodes.length === 1 && only && (await isPcapng(only.path))) {
    // A section of its own tells the names; the file follows untouched.
    const names = Buffer.concat(writer().header())
    return {
      type,
      extension,
      size: names.length + only.size_bytes,
      async *pieces() {
        yield names
        yield* only.read()
      },
    }
  }
  return {
    type,
    extension,
    pieces: () => {
      const captures = nodes.map(({ node, read }) => ({ node, chunks: read() }))
      return mergeCaptures(captures, window, writer())
    },
  }
}

/** Each address under the name people know it by. */
function* addressNames({ pods, services }: Inventory): Generator<readonly [string, string]> {
  for (const { name, namespace, ips } of pods) for (const ip of ips) yield [ip, `${name}.${namespace}`]
  for (const { name, namespace, ips = [] } of services)
    for (const ip of ips) yield [ip, `${name}.${namespace}`]
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
