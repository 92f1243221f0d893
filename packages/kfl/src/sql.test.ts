import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { explain } from './explain.ts'
import { compile } from './filter.ts'
import { toSql } from './sql.ts'
import type { SqlColumns } from './sql-columns.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
const columns: SqlColumns = {
  proto: { sql: 'proto', kind: 'string', nullable: false },
  'request.path': { sql: 'path', kind: 'string' },
  status: { sql: 'status', kind: 'status', number: 'code' },
  'src.pod': { sql: 'pod', kind: 'string' },
  'src.ns': { sql: 'sns', kind: 'string' },
  'dst.ns': { sql: 'dns', kind: 'string' },
  'src.ip': { sql: 'ip', kind: 'string', nullable: false },
  'src.port': { sql: 'port', kind: 'number', nullable: false },
  latency_ms: { sql: 'latency', kind: 'number' },
  'mongodb.success': { sql: 'ok', kind: 'boolean' },
}

const sqlOf = (filter: string, given: SqlColumns = columns) => toSql(compile(filter, catalog), given)

describe('what columns can say', () => {
  test.each([
    ['', 'true'],
    ['http', "(proto = 'http')"],
    ['src.pod == "o\'brien"', "(pod IS NOT NULL AND pod = 'o''brien')"],
    ['src.port == 80', '(port = 80)'],
    ['path contains "100%"', "(path IS NOT NULL AND contains(path, '100%'))"],
    [
      'path startswith "a" and path endswith "b"',
      "((path IS NOT NULL AND starts_with(path, 'a')) AND (path IS NOT NULL AND ends_with(path, 'b')))",
    ],
    ['path matches "^a+"', "(path IS NOT NULL AND regexp_matches(path, '^a+'))"],
    ['response.status == 500', '(code IS NOT NULL AND code = 500)'],
    ['response.status == "OK"', "(status IS NOT NULL AND status = 'OK')"],
    ['response.status in [500, 502]', '(code IS NOT NULL AND code IN (500, 502))'],
    ['response.status in [500, "OK"]', "(status IS NOT NULL AND status IN ('500', 'OK'))"],
    ['response.status >= 500', '(code IS NOT NULL AND code >= 500)'],
    ['status_code == 500', "((proto IN ('http', 'grpc', 'graphql')) AND code IS NOT NULL AND code = 500)"],
    ['src.pod != "a"', "(NOT (pod IS NOT NULL AND pod = 'a'))"],
    ['src.pod', '(pod IS NOT NULL)'],
    ['!src.pod', '(NOT (pod IS NOT NULL))'],
    ['src.port', 'true'],
    ['latency > 1.005', "(latency IS NOT NULL AND latency > CAST('1.005' AS DOUBLE))"],
    ['mongodb_success', '(ok IS NOT NULL AND ok)'],
    ['src.ip in 10.0.0.0/8', "(starts_with(ip, '10.'))"],
    [
      'src.ip in 172.16.0.0/12',
      "(starts_with(ip, '172.') AND COALESCE(TRY_CAST(split_part(ip, '.', 2) AS INTEGER) BETWEEN 16 AND 31, false))",
    ],
    ['"a" in namespaces', "((sns IS NOT NULL AND sns = 'a') OR (dns IS NOT NULL AND dns = 'a'))"],
    ['size(path) > 3', '(COALESCE(length(path) > 3, false))'],
    ['src.port + 1 == 81', '(COALESCE((CAST(port AS DOUBLE) + CAST(1 AS DOUBLE)) = 81, false))'],
    ['http == false', "(NOT (proto = 'http'))"],
  ])('%s', (filter, where) => {
    expect(sqlOf(filter)).toEqual({ where, exact: true })
  })

  test('a status without a column for its number is read from its digits', () => {
    const { where } = sqlOf('response.status >= 500', { status: { sql: 's', kind: 'status' } })
    expect(where).toBe(
      "(COALESCE(CASE WHEN regexp_full_match(s, '0|-?[1-9][0-9]{0,14}') THEN CAST(s AS BIGINT) END >= 500, false))",
    )
  })
})

describe('what columns cannot say', () => {
  test.each([
    ['response.body contains "x"', 'true'],
    ['http and response.body contains "x"', "(proto = 'http')"],
    ['http or response.body contains "x"', 'true'],
    ['not (http and response.body contains "x")', 'true'],
    ['not (http or response.body contains "x")', "(NOT (proto = 'http'))"],
    ['http and not (redis or response.body contains "x")', "((proto = 'http') AND (NOT (proto = 'redis')))"],
    ['src.ip in fe80::/10', "(contains(ip, ':'))"],
    ['src.ip not in fe80::/10', 'true'],
    ['path matches "(?i)é"', 'true'],
    ['src.labels.app == "x"', 'true'],
    ['path == "a\\u0000b"', 'true'],
    ['redis_key != "x"', "(proto IN ('redis'))"],
  ])('%s is a superset', (filter, where) => {
    expect(sqlOf(filter)).toEqual({ where, exact: false })
  })

  test('does not spoil what is decided without it', () => {
    expect(sqlOf('false and response.body contains "x"')).toEqual({ where: 'false', exact: true })
  })

  test('a column of another kind than the field is not used', () => {
    expect(sqlOf('src.pod == "a"', { 'src.pod': { sql: 'pod_id', kind: 'number' } })).toEqual({
      where: 'true',
      exact: false,
    })
  })
})

test('an explanation says of each part what the index does with it', () => {
  const explained = explain(compile('http and response.body contains "x"', catalog), columns)
  expect(explained).toEqual({
    text: 'http and response.body contains "x"',
    where: "(proto = 'http')",
    exact: false,
    paths: ['proto', 'response.body'],
    parts: [
      { text: 'http', where: "(proto = 'http')", exact: true, paths: ['proto'] },
      { text: 'response.body contains "x"', where: 'true', exact: false, paths: ['response.body'] },
    ],
  })
})
