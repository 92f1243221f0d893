import type { Dissector } from '../../dissector.ts'
import { fields } from './fields.ts'
import { WebSocketConversation } from './parse.ts'
import { present, summarize } from './present.ts'

/** WebSocket messages. Two bytes of header prove nothing, so HTTP hands over and nobody is asked. */
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
} as const satisfies Dissector
