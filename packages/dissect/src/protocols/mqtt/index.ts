import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { MqttConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** MQTT 3.1, 3.1.1 and 5.0. */
export const mqtt = {
  name: 'mqtt',
  title: 'MQTT',
  transports: ['tcp'],
  ports: [1883],
  probe,
  open: (connection) => new MqttConversation(connection),
  summarize,
  ...shownBy('mqtt', shape, summarize),
} as const satisfies Dissector
