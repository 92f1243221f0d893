import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { SmtpConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'

/** SMTP (RFC 5321), submission, and LMTP (RFC 2033). */
export const smtp = {
  name: 'smtp',
  title: 'SMTP',
  transports: ['tcp'],
  ports: [25, 587, 2525, 24],
  fields,
  probe,
  open: (connection) => new SmtpConversation(connection),
  summarize,
  present,
  redact: { hasHeaderLines: true },
} as const satisfies Dissector
