import type { TheirHalf } from '../half.ts'
import type { Mapping } from '../mapping.ts'
import { firstText } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'

const OPCODES: Readonly<Record<string, string>> = {
  '1': 'text',
  '2': 'binary',
  '8': 'close',
  '9': 'ping',
  '10': 'pong',
}

/** Frames of one message are one event to us; a ping may be between them. */
export const websocket: Mapping = {
  protocol: 'websocket',
  dissector: 'http',
  read: (packets) => {
    const halves: TheirHalf[] = []
    const begun = new Map<string, number>()
    for (const half of readLayers(packets, 'websocket')) {
      const side = `${half.flow}|${half.from}`
      const opcode = firstText(half.nodes, 'websocket.opcode')
      const at = begun.get(side)
      if (opcode === '0' && at !== undefined)
        halves[at] = { ...halves[at], time: half.time, nodes: [...halves[at].nodes, ...half.nodes] }
      else {
        const index = halves.push(half) - 1
        if (opcode === '1' || opcode === '2') begun.set(side, index)
      }
    }
    return halves.sort((one, other) => one.time - other.time)
  },
  fields: {
    opcode: {
      on: 'request',
      theirs: (nodes) => OPCODES[firstText(nodes, 'websocket.opcode') ?? ''],
      ours: 'websocket.opcode',
    },
    frames: { on: 'request', theirs: (nodes) => String(nodes.length), ours: 'websocket.frames' },
    from: {
      on: 'request',
      theirs: (nodes) => (firstText(nodes, 'websocket.mask') === '1' ? 'client' : 'server'),
      ours: 'websocket.from',
    },
    compressed: {
      on: 'request',
      theirs: (nodes) =>
        String(
          firstText(nodes, 'websocket.rsv1') === '1' || (Number(firstText(nodes, 'websocket.rsv')) & 4) > 0,
        ),
      ours: 'websocket.compressed',
    },
    close_code: {
      on: 'request',
      theirs: 'websocket.payload.close.status_code',
      ours: 'websocket.close_code',
    },
    close_reason: { on: 'request', theirs: 'websocket.payload.close.reason', ours: 'websocket.close_reason' },
  },
}
