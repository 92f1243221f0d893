import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { LdapConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** LDAP over TCP, and connectionless over UDP. */
export const ldap = {
  name: 'ldap',
  title: 'LDAP',
  transports: ['tcp', 'udp'],
  ports: [389, 3268],
  probe,
  open: (connection) => new LdapConversation(connection),
  summarize,
  ...shownBy('ldap', shape, summarize),
} as const satisfies Dissector
