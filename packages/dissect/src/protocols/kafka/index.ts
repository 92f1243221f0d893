import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { KafkaConversation } from './parse.ts'
import { probe, probeResponse } from './probe.ts'
import { redact } from './redact.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** Apache Kafka's own protocol, between clients and brokers and among brokers. */
export const kafka = {
  name: 'kafka',
  title: 'Kafka',
  transports: ['tcp'],
  ports: [9092, 9093, 9094],
  probe,
  probeResponse,
  open: (connection) => new KafkaConversation(connection),
  summarize,
  ...shownBy('kafka', shape, summarize),
  redact,
} as const satisfies Dissector
