import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { LdapConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** LDAP over TCP, and connectionless over UDP. */
export const ldap = {
  name: 'ldap',
  title: 'LDAP',
  transports: ['tcp', 'udp'],
  ports: [389, 3268],
  fields,
  probe,
  open: (connection) => new LdapConversation(connection),
  summarize,
  present,
} as const satisfies Dissector
