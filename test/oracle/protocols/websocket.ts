import type { Mapping } from '../mapping.ts'
import type { TheirMessage } from '../message.ts'
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
    const messages: TheirMessage[] = []
    const begun = new Map<string, number>()
    for (const message of readLayers(packets, 'websocket')) {
      const side = `${message.flow}|${message.from}`
      const opcode = firstText(message.nodes, 'websocket.opcode')
      const at = begun.get(side)
      if (opcode === '0' && at !== undefined)
        messages[at] = {
          ...messages[at],
          time: message.time,
          nodes: [...messages[at].nodes, ...message.nodes],
        }
      else {
        const index = messages.push(message) - 1
        if (opcode === '1' || opcode === '2') begun.set(side, index)
      }
    }
    return messages.sort((one, other) => one.time - other.time)
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
