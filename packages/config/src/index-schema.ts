import { z } from 'zod'
import { duration, durationOrZero, size } from './notation.ts'

const clickhouse = z.strictObject({
  url: z
    .union([z.literal(''), z.url({ protocol: /^https?$/ })])
    .default('')
    .describe(
      'Address of the HTTP interface of ClickHouse, such as https://clickhouse:8443. Needed if tap.index.engine is clickhouse.',
    )
    .meta({ accepts: 'an http or https address' }),
  database: z
    .string()
    .regex(/^[A-Za-z_]\w{0,63}$/)
    .default('tapdeck')
    .describe('The database of the tables. It is created if it does not exist.')
    .meta({ accepts: 'letters, digits and "_"' }),
  user: z.string().max(256).default('default').describe('The user that hub and workers log in as.'),
  passwordFile: z
    .string()
    .max(4096)
    .default('')
    .describe('A file with the password of the user; empty: TAPDECK_CLICKHOUSE_PASSWORD of the environment.'),
  ca: z
    .string()
    .max(4096)
    .default('')
    .describe('A file with the certificate authority of an https address; empty: those that Node.js knows.'),
  timeout: duration
    .default('30s')
    .describe('How long an answer of ClickHouse may take. A query that takes longer fails.'),
  batchRows: z
    .number()
    .int()
    .min(1)
    .max(1_000_000)
    .default(50_000)
    .describe('Calls in one insert at most. A worker inserts what it has every 300 ms.'),
  queueSize: size
    .default('64Mi')
    .describe(
      'Calls that wait in the memory of a worker while ClickHouse is away or slow. More are not stored, and are counted.',
    ),
  retention: durationOrZero
    .default('168h')
    .describe('Calls and flows older than this are deleted by ClickHouse, in parts of a day; 0: never.'),
})

/** Where live calls are stored. */
export const index = z.strictObject({
  engine: z
    .enum(['duckdb', 'clickhouse'])
    .default('duckdb')
    .describe(
      'Where live calls are stored: in a DuckDB index on each node, or in a ClickHouse server that all nodes share.',
    ),
  clickhouse: clickhouse.prefault({}),
})
