import { LATENCIES, NUMBERS, TCP_NUMBERS, TIMES } from './arbitrary-call.ts'

/** A field as the rules see it: how it is written, where it stands, which calls could have it. */
export interface Field {
  readonly name: string
  read(call: object): unknown
  readonly scope: (call: object) => boolean
}

const everywhere = (): boolean => true
const only =
  (...protos: readonly string[]) =>
  (call: object): boolean =>
    protos.includes(String(at(call, 'proto')))

const field = (name: string, path: string, scope: (call: object) => boolean = everywhere): Field => ({
  name,
  read: (call) => (scope(call) ? at(call, path) : undefined),
  scope,
})

export const TEXT_FIELDS: readonly Field[] = [
  field('request.path', 'path'),
  field('path', 'path'),
  field('request.method', 'method'),
  field('error', 'error'),
  field('src.pod', 'src.pod'),
  field('dst.pod.name', 'dst.pod'),
  field('src.ns', 'src.ns'),
  field('dst.service.name', 'dst.svc'),
  field('src.namespace', 'src.ns'),
  field('redis_key', 'redis.key', only('redis')),
]

/** Texts that no index column holds. */
export const LOOSE_FIELDS: readonly Field[] = [
  field('src.labels["app"]', 'src.labels.app'),
  field(
    'request.headers["x-id"]',
    'request.headers.X-Id',
    (call) => at(call, 'request.headers') !== undefined,
  ),
]

export const STATUS_FIELDS: readonly Field[] = [
  field('response.status', 'status'),
  field('status', 'status'),
  field('status_code', 'status', only('http', 'grpc', 'graphql')),
]

export const NUMBER_FIELDS: readonly Field[] = [
  field('src.port', 'src.port'),
  field('dst.port', 'dst.port'),
  field('response.body_size', 'response.body_size'),
  field('req_size', 'req_size'),
  field('flow_id', 'flow_id'),
  field('tcp.retransmissions', 'tcp.retransmissions'),
]

/** A number literal and what it is in the unit of the path. */
type Quantity = readonly [text: string, value: number]

export const QUANTITIES: readonly { readonly field: Field; readonly values: readonly Quantity[] }[] = [
  ...NUMBER_FIELDS.map((of) => ({
    field: of,
    values: NUMBERS.map((value): Quantity => [String(value), value]),
  })),
  {
    field: field('req_size', 'req_size'),
    values: [
      ['2MB', 2_000_000],
      ['1KB', 1000],
      ['1KiB', 1024],
    ],
  },
  ...['latency', 'latency_ms', 'response.latency'].map((name) => ({
    field: field(name, 'latency_ms'),
    values: [
      ...LATENCIES.map((value): Quantity => [String(value), value]),
      ['250ms', 250],
      ['1s', 1000],
      ['1005us', 1.005],
    ] as const,
  })),
  {
    field: field('elapsed_time', 'latency_ms'),
    values: [
      ['1005', 1.005],
      ['250000', 250],
      ['1ms', 1],
      ['0', 0],
    ],
  },
  {
    field: field('tcp.handshake_us', 'tcp.handshake_us'),
    values: [
      ...TCP_NUMBERS.map((value): Quantity => [String(value), value]),
      ['80ms', 80000],
      ['250us', 250],
    ],
  },
  {
    field: field('timestamp', 'ts'),
    values: [
      ...TIMES.map((value): Quantity => [String(value), value]),
      ['timestamp("2026-01-01T00:00:00Z")', 1_767_225_600_000],
    ],
  },
]

export const BLOCKS: readonly (readonly [text: string, holds: (ip: string) => boolean])[] = [
  ['10.0.0.0/8', (ip) => ip.startsWith('10.')],
  ['172.16.0.0/12', (ip) => /^172\.(1[6-9]|2\d|3[01])\./.test(ip)],
  ['10.1.2.0/23', (ip) => /^10\.1\.[23]\./.test(ip)],
  ['0.0.0.0/0', (ip) => !ip.includes(':')],
  ['192.168.1.1', (ip) => ip === '192.168.1.1'],
  ['fe80::/10', (ip) => ip.startsWith('fe80:')],
  ['2001:db8::/32', (ip) => ip.startsWith('2001:db8:')],
]

/** Patterns that RE2 and JavaScript read alike. */
export const PATTERNS: readonly string[] = [
  '^/orders/\\d+',
  'check.ut',
  '(?i)KELVIN',
  'a|b|5{1}0+$',
  '^$',
  '[^a-z]',
  '\\bx',
  "o'b",
  '.',
  '\\\\',
]

export const FLAGS: readonly (readonly [string, string])[] = [
  ['http', 'http'],
  ['redis', 'redis'],
  ['dns', 'dns'],
  ['tcp_flow', 'tcp'],
  ['mongo', 'mongodb'],
]

/** The value at a path, found by a simple lookup. */
export function at(call: object, path: string): unknown {
  let value: unknown = call
  for (const key of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return value
}
