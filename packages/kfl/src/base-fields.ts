import { endpointFields } from './endpoint-fields.ts'
import type { CatalogField } from './field.ts'
import { flagFields } from './flag-fields.ts'

/** Where two paths of the full call hold the same value, the one that is cheaper to read (and is a column). */
export const SAME_PATH: Readonly<Record<string, string>> = {
  'request.path': 'path',
  'request.method': 'method',
  'response.status': 'status',
  req_headers: 'request.headers',
  resp_headers: 'response.headers',
  req_body: 'request.body',
  resp_body: 'response.body',
}

type Row = readonly [names: string, type: CatalogField['type'], path: string, doc: string, example: string]

const COMMON: readonly Row[] = [
  [
    'request.path path',
    'string',
    'path',
    'Path, key, topic or statement that the call is about',
    'request.path contains "/orders"',
  ],
  ['request.method method', 'string', 'method', 'Method, verb or command', 'request.method == "POST"'],
  [
    'response.status status',
    'status',
    'status',
    'Status: a number (500) or a word (NXDOMAIN)',
    'response.status >= 500',
  ],
  [
    'error',
    'string',
    'error',
    'Why the call failed, or which message is missing; absent on success',
    'error',
  ],
  ['id', 'string', 'id', 'Identifier of the call', 'id == "node-1/4711/0"'],
  ['ts timestamp', 'timestamp', 'ts', 'Time of the first byte', 'timestamp > now() - 5m'],
  ['conn_id', 'integer', 'conn_id', 'Connection of the call', 'conn_id == 4711'],
  ['flow_id', 'integer', 'flow_id', 'Flow of the call', 'flow_id == 4711'],
  [
    'node_id worker node_name node.name',
    'string',
    'node_id',
    'Node that captured the call',
    'node_name == "node-1"',
  ],
  ['node_ip node.ip', 'ip', 'node_ip', 'Address of the node that captured the call', 'node_ip in 10.0.0.0/8'],
  [
    'has_pcap',
    'boolean',
    'has_pcap',
    'Whether the packets of the call are kept: in the ring of its node, in the snapshot, or in the file',
    'has_pcap',
  ],
  [
    'capture_source capture.source',
    'string',
    'capture_source',
    'What saw the packets: af_packet, ebpf_tls, file',
    'capture_source == "ebpf_tls"',
  ],
  [
    'decrypted',
    'boolean',
    'decrypted',
    'The call was sent encrypted, and its keys were known',
    'decrypted and response.status >= 500',
  ],
  [
    'connection_end',
    'string',
    'connection_end',
    'How the connection ended of a request without a response: closed_by_server, closed_by_client (FIN), reset_by_server, reset_by_client (RST)',
    'connection_end == "reset_by_server"',
  ],
  [
    'delivery',
    'string',
    'delivery',
    'unacknowledged: the response was never acknowledged, so its client may not have got it. Known some time after the call; the live stream has what was known with the call',
    'delivery == "unacknowledged"',
  ],
  ['req_size', 'integer', 'req_size', 'Bytes of the request on the wire', 'req_size > 64KiB'],
  ['resp_size', 'integer', 'resp_size', 'Bytes of the response on the wire', 'resp_size > 1MB'],
  ['request.query', 'map', 'request.query', 'Query parameters', 'request.query["page"] == "2"'],
]

const HALVES: readonly Row[] = [
  [
    'SIDE.body FLAT_body',
    'string',
    'SIDE.body',
    'Body as text (base64 where it is no text)',
    'SIDE.body contains "timeout"',
  ],
  ['SIDE.body_size', 'integer', 'SIDE.body_size', 'True size of the body in bytes', 'SIDE.body_size > 1MB'],
  [
    'SIDE.body_encoding',
    'string',
    'SIDE.body_encoding',
    'base64 where the body is no text',
    'SIDE.body_encoding == "base64"',
  ],
  ['SIDE.truncated', 'boolean', 'SIDE.truncated', 'Part of the SIDE is missing', 'SIDE.truncated'],
]

/** Microseconds, as the connection measured them. */
const TCP_TIMES: readonly (readonly [string, string])[] = [
  ['handshake_us', 'Time to complete the three-way handshake'],
  ['initial_rtt_us', 'Round-trip time seen in the handshake'],
  ['time_to_first_byte_us', 'From the first request byte to the first response byte'],
  ['rtt_min_us', 'Shortest round trip'],
  ['rtt_max_us', 'Longest round trip'],
  ['rtt_avg_us', 'Mean round trip'],
  ['jitter_us', 'Variation of the round trip'],
]

const TCP_COUNTS: readonly (readonly [string, string])[] = [
  ['rtt_samples', 'Round trips measured'],
  ['retransmissions', 'Retransmitted segments'],
  ['fast_retransmissions', 'Fast retransmissions'],
  ['duplicate_acks', 'Duplicate acknowledgements'],
  ['out_of_order', 'Segments out of order'],
  [
    'overlap_conflicts',
    'Segments with other bytes than came before in their place. Compared with bytes that wait for a gap before them, and with the first 16 bytes of each of the last 4 segments of the same end that were delivered',
  ],
  ['zero_window', 'Times a receiver closed its window'],
  ['window_full', 'Times a sender filled the window'],
  ['keep_alive', 'Keep-alive probes'],
  ['resets', 'RST segments'],
  ['fins', 'FIN segments'],
  ['completeness', 'What was seen: SYN 1, SYN-ACK 2, ACK 4, DATA 8, FIN 16, RST 32'],
]

/** What the flow of a call has come to when the question is asked; on the live stream, when the call was seen. */
const FLOW: readonly (readonly [string, CatalogField['type'], string])[] = [
  ['state', 'string', 'open (one side has spoken), in_progress (both have) or closed'],
  ['local_pkts', 'integer', 'Packets that src sent in this flow so far'],
  ['local_bytes', 'integer', 'Bytes that src sent in this flow so far'],
  ['remote_pkts', 'integer', 'Packets that dst sent in this flow so far'],
  ['remote_bytes', 'integer', 'Bytes that dst sent in this flow so far'],
  ['local_pps', 'integer', 'Packets a second of src, over the time of the flow'],
  ['local_bps', 'integer', 'Bytes a second of src, over the time of the flow'],
  ['remote_pps', 'integer', 'Packets a second of dst, over the time of the flow'],
  ['remote_bps', 'integer', 'Bytes a second of dst, over the time of the flow'],
  ['l7_detected', 'list', 'Protocols of its calls, without those inside TLS'],
  ['group_id', 'integer', 'The same for all flows from one client to one port of a server'],
]

/** All names that do not belong to one protocol: the call's common fields and the variables that users know. */
export function baseFields(
  protocols: readonly string[],
  known: (name: string) => boolean,
): readonly CatalogField[] {
  return [
    ...COMMON.flatMap(named),
    ...durations(),
    ...halfFields('request', 'req'),
    ...halfFields('response', 'resp'),
    ...endpointFields(),
    ...derivedFields(),
    ...tcpFields(),
    ...flowFields(),
    ...flagFields(protocols, known),
  ]
}

function named([names, type, path, doc, example]: Row): readonly CatalogField[] {
  return names.split(' ').map((name) => ({ name, type, path, doc, example }))
}

function durations(): readonly CatalogField[] {
  const latency = 'From the first byte of the request to the last of the response'
  const first = 'From the request to the first byte of the response'
  const field = (
    name: string,
    path: string,
    unit: 'us' | 'ms',
    doc: string,
    example: string,
  ): CatalogField => ({ name, type: 'duration', path, unit, doc, example })
  return [
    ...['latency', 'latency_ms', 'response.latency'].map((name) =>
      field(name, 'latency_ms', 'ms', `${latency}; plain numbers are milliseconds`, `${name} > 250ms`),
    ),
    field(
      'elapsed_time',
      'latency_ms',
      'us',
      `${latency}; plain numbers are microseconds`,
      'elapsed_time > 250000',
    ),
    ...['ttfb', 'ttfb_ms'].map((name) =>
      field(name, 'ttfb_ms', 'ms', `${first}; plain numbers are milliseconds`, `${name} > 100ms`),
    ),
    ...['p50', 'p90', 'p99'].map((percentile) => {
      const name = `tcp_handshake_${percentile}_us`
      return field(
        name,
        name,
        'us',
        `TCP handshake time of the destination service, ${percentile}; plain numbers are microseconds`,
        `${name} > 10ms`,
      )
    }),
  ]
}

function halfFields(side: 'request' | 'response', flat: string): readonly CatalogField[] {
  const place = (text: string) => text.replaceAll('SIDE', side).replaceAll('FLAT', flat)
  const headers = `${side}.headers`
  const body = `${side}.body`
  return [
    ...HALVES.flatMap(([names, type, path, doc, example]) =>
      named([place(names), type, place(path), place(doc), place(example)]),
    ),
    ...[headers, `${flat}_headers`].map(
      (name): CatalogField => ({
        name,
        type: 'map',
        path: headers,
        ignoreCase: true,
        container: true,
        doc: `Headers of the ${side}; names in any case`,
        example: `${name}["content-type"] contains "json"`,
      }),
    ),
    {
      name: `${body}.json`,
      type: 'json',
      path: body,
      derive: 'json-text',
      container: true,
      doc: `Body of the ${side}, read as JSON, by path`,
      example:
        side === 'request' ? 'request.body.json.items[0].id == 7' : 'response.body.json.error.code == "E42"',
    },
  ]
}

function derivedFields(): readonly CatalogField[] {
  return [
    {
      name: 'index',
      type: 'integer',
      path: 'id',
      derive: 'ordinal',
      doc: 'Place of the call in its flow, from 0',
      example: 'index == 0',
    },
    {
      name: 'stream',
      type: 'string',
      path: 'flow_id',
      derive: 'hex',
      doc: 'Flow of the call, in hexadecimal',
      example: 'stream == "1267"',
    },
    {
      name: 'node',
      type: 'map',
      path: 'node_id',
      entries: { name: 'node_id', ip: 'node_ip' },
      doc: 'name and ip of the node that captured the call',
      example: 'node["name"] == "node-1"',
    },
    ...['capture_backend', 'capture.backend'].map(
      (name): CatalogField => ({
        name,
        type: 'string',
        path: 'capture_source',
        derive: 'capture-backend',
        doc: 'af_packet or ebpf',
        example: `${name} == "af_packet"`,
      }),
    ),
    {
      name: 'capture',
      type: 'map',
      path: 'capture_source',
      derive: 'capture',
      doc: 'source and backend of the capture',
      example: 'capture["backend"] == "ebpf"',
    },
    {
      name: 'capture_source_code',
      type: 'integer',
      path: 'capture_source',
      derive: 'capture-code',
      doc: '0 unspecified, 1 af_packet, 2 ebpf, 3 ebpf_tls',
      example: 'capture_source_code == 3',
    },
  ]
}

function tcpFields(): readonly CatalogField[] {
  return [
    ...TCP_TIMES.map(
      ([name, doc]): CatalogField => ({
        name: `tcp.${name}`,
        type: 'duration',
        unit: 'us',
        path: `tcp.${name}`,
        doc: `${doc}; plain numbers are microseconds`,
        example: `tcp.${name} > 5ms`,
      }),
    ),
    ...TCP_COUNTS.map(
      ([name, doc]): CatalogField => ({
        name: `tcp.${name}`,
        type: 'integer',
        path: `tcp.${name}`,
        doc,
        example: `tcp.${name} > 0`,
      }),
    ),
  ]
}

function flowFields(): readonly CatalogField[] {
  const example = (name: string, type: CatalogField['type']) =>
    type === 'integer' ? `${name} > 100` : type === 'list' ? `"http" in ${name}` : `${name} == "closed"`
  return ['conn', 'flow'].flatMap((prefix) =>
    FLOW.filter(([name]) => prefix === 'flow' || !name.endsWith('ps')).map(
      ([name, type, doc]): CatalogField => {
        const full = `${prefix}_${name}`
        return { name: full, type, path: `flow.${name}`, doc, example: example(full, type) }
      },
    ),
  )
}
