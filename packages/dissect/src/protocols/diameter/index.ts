import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { DiameterConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** Diameter over TCP and SCTP, with the commands of its base, credit control and mobile networks. */
export const diameter = {
  name: 'diameter',
  title: 'Diameter',
  transports: ['tcp', 'sctp'],
  ports: [3868],
  probe,
  open: (connection) => new DiameterConversation(connection),
  summarize,
  ...shownBy('diameter', shape, summarize),
} as const satisfies Dissector
