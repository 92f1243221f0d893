import type { BpfFilter } from '@tapdeck/bpf'
import type { PacketFilter } from '@tapdeck/recording'
import type { Conversations, PacketTest } from './conversations.ts'

/** Which packets of a snapshot are wanted; absent parts want all. */
export interface PacketRequest {
  /** Unix milliseconds, inclusive. */
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly bpf?: BpfFilter | undefined
  readonly conversations?: Conversations | undefined
  /** Whether one of its addresses is wanted. */
  readonly addresses?: PacketTest | undefined
}

/** Which packets of a node are wanted. */
export type PacketChoice = (node: string) => PacketTest

export function wantsAll({ start, end, bpf, conversations, addresses }: PacketRequest): boolean {
  return start === undefined && end === undefined && !bpf && !conversations && !addresses
}

/** What the index of a capture is asked, to read no more than that. Undefined: everything. */
export function wantedBlocks(request: PacketRequest, node: string): PacketFilter['wanted'] {
  if (wantsAll(request)) return undefined
  const from = (request.start ?? Number.NEGATIVE_INFINITY) * 1000
  const to = (request.end ?? Number.POSITIVE_INFINITY) * 1000
  const of = request.conversations?.wanted(node)
  if (of === undefined) return { from, to, anyOf: [] }
  return { from: Math.max(from, of.from), to: Math.min(to, of.until), anyOf: of.anyOf }
}

export function packetChoice(request: PacketRequest): PacketChoice {
  const { bpf, conversations, addresses } = request
  const from = (request.start ?? Number.NEGATIVE_INFINITY) * 1000
  const until = (request.end ?? Number.POSITIVE_INFINITY) * 1000
  return (node) => {
    const isOfConversation = conversations?.of(node)
    return (data, start, end, length, time, link) =>
      time >= from &&
      time <= until &&
      (bpf === undefined || bpf.matches(data, start, end, length, link)) &&
      (addresses === undefined || addresses(data, start, end, length, time, link)) &&
      (isOfConversation === undefined || isOfConversation(data, start, end, length, time, link))
  }
}
