import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { KafkaConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe, probeResponse } from './probe.ts'
import { redact } from './redact.ts'

/** Apache Kafka's own protocol, between clients and brokers and among brokers. */
export const kafka = {
  name: 'kafka',
  title: 'Kafka',
  transports: ['tcp'],
  ports: [9092, 9093, 9094],
  fields,
  probe,
  probeResponse,
  open: (connection) => new KafkaConversation(connection),
  summarize,
  present,
  redact,
} as const satisfies Dissector
