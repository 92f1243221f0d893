import type { Dissector } from '../../contract/dissector.ts'
import { fields } from './fields.ts'
import { MysqlConversation } from './parse.ts'
import { present, summarize } from './present.ts'
import { probe } from './probe.ts'
import { write } from './write.ts'

/** MySQL and MariaDB: statements, prepared statements and every other command. */
export const mysql = {
  name: 'mysql',
  title: 'MySQL',
  transports: ['tcp'],
  ports: [3306],
  fields,
  probe,
  open: (connection) => new MysqlConversation(connection),
  summarize,
  present,
  write,
  redact: { statements: 'mysql' },
} as const satisfies Dissector
