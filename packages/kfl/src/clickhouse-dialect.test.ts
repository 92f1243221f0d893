import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { clickhouseDialect } from './clickhouse-dialect.ts'
import { compile } from './filter.ts'
import { toSql } from './sql.ts'
import type { SqlColumns } from './sql-columns.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
const columns: SqlColumns = {
  proto: { sql: 'proto', kind: 'string', nullable: false },
  path: { sql: 'path', kind: 'string' },
  status: { sql: 'status', kind: 'status' },
  'src.ip': { sql: 'ip', kind: 'string', nullable: false },
  'src.port': { sql: 'port', kind: 'number', nullable: false },
}

test.each([
  ['http', "(proto = 'http')"],
  [`path == "o'brien \\\\ x"`, "(path IS NOT NULL AND path = 'o\\'brien \\\\ x')"],
  ['path == "a\\u0000b"', "(path IS NOT NULL AND path = 'a\\0b')"],
  ['path contains "100%"', "(path IS NOT NULL AND (position(path, '100%') > 0))"],
  ['path startswith "a"', "(path IS NOT NULL AND startsWith(path, 'a'))"],
  ['path endswith "b"', "(path IS NOT NULL AND endsWith(path, 'b'))"],
  ['path matches "^a.\\\\d"', "(path IS NOT NULL AND match(path, concat('(?-s)', '^a.\\\\d')))"],
  ['size(path) > 3', '(COALESCE(lengthUTF8(path) > 3, false))'],
  ['src.port + 1 == 81', '(COALESCE((toFloat64(port) + toFloat64(1)) = 81, false))'],
  ['src.ip in 10.0.0.0/8', "(startsWith(ip, '10.'))"],
  [
    'src.ip in 172.16.0.0/12',
    "(startsWith(ip, '172.') AND COALESCE(toInt32OrNull(splitByChar('.', assumeNotNull(ip))[2]) BETWEEN 16 AND 31, false))",
  ],
  [
    'response.status >= 500',
    "(COALESCE(CASE WHEN match(status, '^(?:0|-?[1-9][0-9]{0,14})$') THEN toInt64OrNull(status) END >= 500, false))",
  ],
])('%s in the SQL of ClickHouse', (filter, where) => {
  expect(toSql(compile(filter, catalog), columns, clickhouseDialect)).toEqual({ where, exact: true })
})
