import type { Sieve } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import type { FlowComments } from './flow-comments.ts'
import { type PacketWish, packetChoice, wantsAll } from './packet-choice.ts'
import { readAhead } from './read-ahead.ts'

export interface SiftableNode {
  readonly node: string
  sift(sieve: Sieve): AsyncGenerator<Uint8Array>
}

/** The capture of one node as it was recorded, with names and comments added and without what is not wanted. */
export function siftedCapture(
  { node, sift }: SiftableNode,
  wish: PacketWish,
  names: ReadonlyMap<string, readonly string[]>,
  comments: FlowComments | undefined,
  damaged: (reason: string) => void,
): AsyncGenerator<Uint8Array> {
  const choice = wantsAll(wish) ? undefined : packetChoice(wish)
  return readAhead(
    sift({
      ...(names.size > 0 && { afterSection: namesBlock(names) }),
      packet: (bytes, start, end, length, time, link) =>
        choice !== undefined && !choice(node, bytes, start, end, length, time, link)
          ? false
          : (comments?.of(bytes, start, end, length, time, link) ?? true),
      damaged,
    }),
  )
}

function namesBlock(names: ReadonlyMap<string, readonly string[]>): Uint8Array {
  const writer = new PcapngWriter()
  writer.names(names)
  return writer.take()
}
