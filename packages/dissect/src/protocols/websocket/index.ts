import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { WebSocketConversation } from './parse.ts'
import { present, summarize } from './present.ts'

/** WebSocket messages. Two bytes of header prove nothing, so HTTP hands over and it is not probed. */
export const websocket = {
  name: 'websocket',
  title: 'WebSocket',
  transports: [],
  ports: [],
  fields,
  probe: () => 'no',
  open: (connection) => new WebSocketConversation(connection),
  summarize,
  present,
  redact: { hasHeaderLines: true },
} as const satisfies Dissector
