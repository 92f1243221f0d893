import type { PacketFilter } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import type { FlowComments } from './flow-comments.ts'
import { type PacketRequest, packetChoice, wantedBlocks, wantsAll } from './packet-choice.ts'
import { readAhead } from './read-ahead.ts'

export interface FilterableNode {
  readonly node: string
  filtered(filter: PacketFilter): AsyncGenerator<Uint8Array>
}

/** The capture of one node as it was recorded, with names and comments added and without what is not wanted. */
export function filteredCapture(
  { node, filtered }: FilterableNode,
  request: PacketRequest,
  names: ReadonlyMap<string, readonly string[]>,
  comments: FlowComments | undefined,
  damaged: (reason: string) => void,
): AsyncGenerator<Uint8Array> {
  const isWanted = wantsAll(request) ? undefined : packetChoice(request)(node)
  return readAhead(
    filtered({
      wanted: wantedBlocks(request, node),
      ...(names.size > 0 && { afterSection: namesBlock(names) }),
      packet: (bytes, start, end, length, time, link) =>
        isWanted !== undefined && !isWanted(bytes, start, end, length, time, link)
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
