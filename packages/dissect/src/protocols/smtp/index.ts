import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { SmtpConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** SMTP (RFC 5321), submission, and LMTP (RFC 2033). */
export const smtp = {
  name: 'smtp',
  title: 'SMTP',
  transports: ['tcp'],
  ports: [25, 587, 2525, 24],
  probe,
  open: (connection) => new SmtpConversation(connection),
  summarize,
  ...shownBy('smtp', shape, summarize),
  redact: { hasHeaderLines: true },
} as const satisfies Dissector
