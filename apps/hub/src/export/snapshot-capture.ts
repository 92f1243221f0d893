import { createResolver, type Inventory } from '@tapdeck/inventory'
import { Damaged, type PacketFilter } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { type CaptureWriter, PcapCapture, PcapngCapture } from './capture-writer.ts'
import { allImported, type ExportedSecrets } from './exported-secrets.ts'
import { filteredCapture } from './filtered-capture.ts'
import { FlowComments } from './flow-comments.ts'
import { mergeCaptures } from './merge-captures.ts'
import { type PacketRequest, packetChoice, wantsAll } from './packet-choice.ts'
import { readAhead } from './read-ahead.ts'

const MAX_REASONS = 20

export interface CapturedNode {
  readonly node: string
  readonly size_bytes: number
  read(damaged?: (reason: string) => void): AsyncGenerator<Uint8Array>
  /** Where it lies as the ring wrote it, block by block. */
  filtered?(filter: PacketFilter): AsyncGenerator<Uint8Array>
}

/** One capture file made of a snapshot. Each call of `pieces` gives the same bytes again. */
export interface SnapshotCapture {
  readonly type: string
  readonly extension: string
  /** Known where the bytes are passed on as they are. */
  readonly size?: number
  pieces(): AsyncGenerator<Uint8Array>
}

export interface CaptureExtras {
  /** Called with what cannot be read. */
  readonly damaged?: (reason: string) => void
  /** What was never recorded: said at the end of a pcapng. */
  readonly missing?: readonly string[]
  /** Default: those that the captures carry. */
  readonly secrets?: ExportedSecrets
}

export async function snapshotCapture(
  nodes: readonly CapturedNode[],
  request: PacketRequest,
  format: 'pcapng' | 'pcap',
  inventory: Inventory,
  { damaged = () => {}, missing = [], secrets = allImported }: CaptureExtras = {},
): Promise<SnapshotCapture> {
  const names = addressNames(inventory)
  const writer = (): CaptureWriter => (format === 'pcap' ? new PcapCapture() : new PcapngCapture(names))
  const { type, extension } = writer()
  const [only] = nodes
  // What the ring wrote has no secrets in it.
  const hasSecretsLeft = secrets.keepsImported || only?.filtered !== undefined
  const isUnchanged = hasSecretsLeft && secrets.added.length === 0
  const untouched =
    wantsAll(request) && format === 'pcapng' && nodes.length === 1 && names.size === 0 && isUnchanged
  if (untouched && only && (await isPcapng(only)))
    // Nothing to leave out and nothing to add: the file as it lies.
    return asItIs(only, { type, extension }, missing)
  const resolver = createResolver(inventory)
  const comments = () => (format === 'pcapng' && names.size > 0 ? new FlowComments(resolver) : undefined)
  const pieces = (onDamage: (reason: string) => void) =>
    only?.filtered && nodes.length === 1 && format === 'pcapng' && secrets.added.length === 0
      ? filteredCapture({ node: only.node, filtered: only.filtered }, request, names, comments(), onDamage)
      : mergeCaptures(
          nodes.map(({ node, read, filtered }) => ({
            node,
            chunks: () => read(onDamage),
            ...(filtered && { damaged: (blocks: number) => onDamage(`${node}: ${blocks} damaged blocks`) }),
          })),
          { choice: packetChoice(request), writer: writer(), comments: comments(), secrets },
        )
  return { type, extension, pieces: () => withDamage(pieces, format, damaged, missing) }
}

function asItIs(
  { size_bytes, read }: CapturedNode,
  kind: Pick<SnapshotCapture, 'type' | 'extension'>,
  missing: readonly string[],
): SnapshotCapture {
  if (missing.length === 0) return { ...kind, size: size_bytes, pieces: () => readAhead(read()) }
  const last = notice(missing)
  return {
    ...kind,
    size: size_bytes + last.length,
    async *pieces() {
      yield* readAhead(read())
      yield last
    },
  }
}

/** A comment at the end of a pcapng says what could not be read; a pcap has no comments, so its download fails. */
async function* withDamage(
  pieces: (damaged: (reason: string) => void) => AsyncGenerator<Uint8Array>,
  format: 'pcapng' | 'pcap',
  damaged: (reason: string) => void,
  missing: readonly string[],
): AsyncGenerator<Uint8Array> {
  const reasons: string[] = []
  yield* pieces((reason) => {
    damaged(reason)
    reasons.push(reason)
  })
  if (format === 'pcap') {
    if (reasons.length > 0) throw new Damaged(textOf(reasons))
    return
  }
  if (reasons.length + missing.length > 0) yield notice([...reasons, ...missing])
}

/** A section without packets, whose comment says what is missing before it. */
function notice(reasons: readonly string[]): Uint8Array {
  const writer = new PcapngWriter()
  writer.section(textOf(reasons))
  return writer.take()
}

function textOf(reasons: readonly string[]): string {
  const more = reasons.length > MAX_REASONS ? `; and ${reasons.length - MAX_REASONS} more` : ''
  return `tapdeck: incomplete: ${reasons.slice(0, MAX_REASONS).join('; ')}${more}`
}

/** Names of each address: `pod.namespace`, `service.namespace` and, to distinguish services from pods, `service.namespace.svc`. */
export function addressNames({ pods, services }: Inventory): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, string[]>()
  const add = (ips: readonly string[], full: string) => {
    for (const ip of ips) {
      const known = names.get(ip)
      if (known === undefined) names.set(ip, [full])
      else if (!known.includes(full)) known.push(full)
    }
  }
  for (const { name, namespace, ips } of pods) add(ips, `${name}.${namespace}`)
  for (const { name, namespace, ips = [] } of services) {
    // Wireshark shows the last of several names.
    add(ips, `${name}.${namespace}.svc`)
    add(ips, `${name}.${namespace}`)
  }
  return names
}

/** An imported file may be a classic pcap under the name of a pcapng. */
async function isPcapng({ read }: CapturedNode): Promise<boolean> {
  for await (const chunk of read(() => {}))
    return chunk.length >= 4 && Buffer.from(chunk.subarray(0, 4)).readUInt32BE(0) === 0x0a0d0d0a
  return false
}
