import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { MqttConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** MQTT 3.1, 3.1.1 and 5.0. */
export const mqtt = {
  name: 'mqtt',
  title: 'MQTT',
  transports: ['tcp'],
  ports: [1883],
  fields,
  probe,
  open: (connection) => new MqttConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
