import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { DiameterConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** Diameter over TCP and SCTP, with the commands of its base, credit control and mobile networks. */
export const diameter = {
  name: 'diameter',
  title: 'Diameter',
  transports: ['tcp', 'sctp'],
  ports: [3868],
  fields,
  probe,
  open: (connection) => new DiameterConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
