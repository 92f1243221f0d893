import type { Dissector } from '../../contract/dissector.ts'
import { shownBy } from '../../shape/shown-by.ts'
import { MysqlConversation } from './parse.ts'
import { probe } from './probe.ts'
import { shape } from './shape.ts'
import { summarize } from './summarize.ts'

/** MySQL and MariaDB: statements, prepared statements and every other command. */
export const mysql = {
  name: 'mysql',
  title: 'MySQL',
  transports: ['tcp'],
  ports: [3306],
  probe,
  open: (connection) => new MysqlConversation(connection),
  summarize,
  ...shownBy('mysql', shape, summarize),
  redact: { statements: 'mysql' },
} as const satisfies Dissector
