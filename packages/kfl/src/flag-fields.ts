import type { CatalogField } from './field.ts'

/** Words of `proto` that are accepted even without their dissector. Each dissector adds its own. */
export const PROTOCOLS: readonly string[] = [
  'http',
  'grpc',
  'graphql',
  'websocket',
  'redis',
  'postgresql',
  'mysql',
  'mongodb',
  'kafka',
  'amqp',
  'dns',
  'tls',
  'ldap',
  'radius',
  'diameter',
  'icmp',
  'tcp',
  'udp',
  'sctp',
]

/** Other words for a protocol, in filters and between quotes alike. */
export const PROTOCOL_ALIASES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    ws: 'websocket',
    gql: 'graphql',
    tlsx: 'tls',
    postgres: 'postgresql',
    mongo: 'mongodb',
  }),
)

/** Conversations in which no protocol was recognised. */
const TRANSPORTS: readonly (readonly [string, string])[] = [
  ['conn', 'proto in ["tcp", "udp", "sctp"]'],
  ['flow', 'proto in ["tcp", "udp", "sctp"]'],
  ['tcp_conn', 'proto == "tcp"'],
  ['tcp_flow', 'proto == "tcp"'],
  ['udp_conn', 'proto == "udp"'],
  ['udp_flow', 'proto == "udp"'],
]

/** How a call ended, in one word. */
const OUTCOMES: readonly (readonly [name: string, means: string, doc: string])[] = [
  [
    'failed',
    'has(error) and not (error in ["gap", "midstream", "truncated", "unfinished"])',
    'The call failed. Partial calls, and calls without a response by the end of the capture, did not',
  ],
  ['partial', 'error in ["gap", "midstream", "truncated"]', 'The capture missed a message of the call'],
]

export function flagFields(
  protocols: readonly string[],
  known: (name: string) => boolean,
): readonly CatalogField[] {
  const flag = (name: string, means: string, doc: string): CatalogField => ({
    name,
    type: 'boolean',
    path: 'proto',
    means,
    doc,
    example: name,
  })
  const text = (name: string, example: string): CatalogField => ({
    name,
    type: 'string',
    path: 'proto',
    ignoreCase: true,
    doc: 'Protocol of the call, in any case',
    example,
  })
  const flags = [
    text('proto', 'proto == "http"'),
    text('protocol', 'protocol == "HTTP"'),
    ...protocols.map((name) => flag(name, `proto == "${name}"`, `Calls of ${name}`)),
    ...[...PROTOCOL_ALIASES].map(([name, of]) => flag(name, `proto == "${of}"`, `Calls of ${of}`)),
    ...TRANSPORTS.map(([name, means]) =>
      flag(name, means, 'Conversations in which no protocol was recognised'),
    ),
    ...OUTCOMES.map(([name, means, doc]) => ({ ...flag(name, means, doc), path: 'error' })),
  ]
  if (!known('http_version')) return flags
  return [
    ...flags,
    flag('gqlv1', 'proto == "graphql" and http_version startswith "1"', 'Calls of graphql over HTTP/1'),
    flag('gqlv2', 'proto == "graphql" and http_version startswith "2"', 'Calls of graphql over HTTP/2'),
  ]
}
