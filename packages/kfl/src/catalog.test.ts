import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { KflError } from './kfl-error.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)

/** The variables that users know and that belong to no protocol's dissector, by type. */
const known = {
  ip: 'src.ip dst.ip node_ip',
  integer:
    'src.port dst.port index conn_id flow_id capture_source_code conn_local_pkts conn_local_bytes conn_remote_pkts conn_remote_bytes conn_group_id flow_local_pkts flow_local_bytes flow_remote_pkts flow_remote_bytes flow_local_pps flow_local_bps flow_remote_pps flow_remote_bps flow_group_id tcp.retransmissions tcp.rtt_samples',
  string:
    'protocol id node_id stream worker capture_source capture_backend src.pod.name dst.pod.name src.pod.namespace dst.pod.namespace src.service.name dst.service.name src.service.namespace dst.service.namespace src.name dst.name src.namespace dst.namespace node_name local_node_name remote_node_name local_process_name remote_process_name src.dns dst.dns local_resolution_status remote_resolution_status conn_state flow_state src.pod dst.svc request.path error',
  timestamp: 'timestamp ts',
  duration:
    'elapsed_time latency tcp.handshake_us tcp_handshake_p50_us tcp_handshake_p90_us tcp_handshake_p99_us',
  boolean:
    'has_pcap http dns tls tlsx tcp udp sctp icmp grpc radius diameter redis kafka amqp ldap ws gql gqlv1 gqlv2 mongodb mysql postgresql conn flow tcp_conn udp_conn tcp_flow udp_flow',
  list: 'namespaces pods services dns_resolutions conn_l7_detected flow_l7_detected',
  map: 'capture local_labels remote_labels local_annotations remote_annotations request.headers response.headers',
  status: 'response.status status status_code',
  json: 'request.body.json response.body.json',
} as const

describe('the catalog', () => {
  for (const [type, names] of Object.entries(known)) {
    test.each(names.split(' '))(`knows %s, of type ${type}`, (name) => {
      expect(catalog.find(name)?.type).toBe(type)
    })
  }

  test.each(catalog.fields.map((field) => [field.name, field.example]))(
    '%s: the example compiles: %s',
    (_, example) => {
      expect(() => compile(example, catalog, 0)).not.toThrow()
    },
  )

  test('does not know the fields of a protocol that is not built in', () => {
    expect(() => compile('redis_key == "a"', createCatalog({}))).toThrow(KflError)
    expect(compile('redis', createCatalog({})).matches({ proto: 'redis' })).toBe(true)
  })

  test('takes new protocols with their fields', () => {
    const own = createCatalog({
      mqtt: {
        name: 'mqtt',
        fields: { mqtt_topic: { type: 'string', path: 'mqtt.topic', doc: 'Topic', example: 'mqtt_topic' } },
      },
    })
    expect(own.protocols).toContain('mqtt')
    const filter = compile('mqtt and proto == "MQTT" and mqtt_topic startswith "home/"', own)
    expect(filter.matches({ proto: 'mqtt', mqtt: { topic: 'home/door' } })).toBe(true)
  })

  test('reads a name that several protocols share from whichever the call has', () => {
    const size = (path: string) =>
      ({ total_size: { type: 'integer', path, doc: 'Bytes', example: 'total_size > 1' } }) as const
    const own = createCatalog({
      a: { name: 'a', fields: size('a.size') },
      b: { name: 'b', fields: size('b.size') },
    })
    const filter = compile('total_size == 5', own)
    expect(filter.matches({ proto: 'a', a: { size: 5 } })).toBe(true)
    expect(filter.matches({ proto: 'b', b: { size: 5 } })).toBe(true)
    expect(own.find('total_size')?.protocols).toEqual(['a', 'b'])
  })

  test('lets no protocol take a common name away', () => {
    const field = { type: 'integer', path: 'x.path', doc: '', example: '' } as const
    expect(createCatalog({ x: { name: 'x', fields: { path: field } } }).find('path')?.type).toBe('string')
  })
})
