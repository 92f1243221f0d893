import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CallRecord, protocols } from '@tapdeck/dissect'
import { compile, createCatalog, KflError } from '@tapdeck/kfl'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallIndex } from './call-index.ts'
import { openIndex } from './duckdb/open-index.ts'
import { appendKnownTraffic } from './testing/known-traffic.ts'

/**
 * The variables that users of the best-known system have, all of them, each with the type it has here and a filter that
 * some call of the known traffic answers.
 */
const TABLE = `
src.ip ip | src.ip == "10.0.0.1"
dst.ip ip | dst.ip == "10.0.0.2"
src.port integer | src.port == 41003
dst.port integer | dst.port == 80
protocol string | protocol == "HTTP"
id string | id == "node-1/99/0"
node_id string | node_id == "node-1"
index integer | index == 1
stream string | stream == "63"
timestamp timestamp | timestamp >= timestamp("2020-01-01T00:00:00Z")
elapsed_time duration | elapsed_time > 10
worker string | worker == "node-1"
conn_id integer | conn_id == 99
flow_id integer | flow_id == 99
has_pcap boolean | has_pcap
capture_source string | capture_source == "af_packet"
capture_backend string | capture_backend == "af_packet"
capture_source_code integer | capture_source_code == 1
capture map | capture["source"] == "af_packet"
src.pod.name string | src.pod.name == "front-1"
dst.pod.name string | dst.pod.name == "back-1"
src.pod.namespace string | src.pod.namespace == "web"
dst.pod.namespace string | dst.pod.namespace == "shop"
src.service.name string | src.service.name == "front"
dst.service.name string | dst.service.name == "back"
src.service.namespace string | src.service.namespace == "web"
dst.service.namespace string | dst.service.namespace == "shop"
src.name string | src.name == "front-1"
dst.name string | dst.name == "back-1"
src.namespace string | src.namespace == "web"
dst.namespace string | dst.namespace == "shop"
namespaces list | "shop" in namespaces
pods list | "back-1" in pods
services list | "back" in services
local_labels map | local_labels["app"] == "front"
remote_labels map | remote_labels["app"] == "back"
local_annotations map | local_annotations["owner"] == "team-a"
remote_annotations map | remote_annotations["owner"] == "team-b"
node map | node["ip"] == "10.9.9.9"
node_name string | node_name == "node-1"
node_ip ip | node_ip in 10.9.0.0/16
local_node_name string | local_node_name == "node-1"
remote_node_name string | remote_node_name == "node-2"
local_process_name string | local_process_name == "curl"
remote_process_name string | remote_process_name == "nginx"
src.dns string | src.dns == "db.shop"
dst.dns string | dst.dns == "db.shop"
dns_resolutions list | "db.shop" in dns_resolutions
local_resolution_status string | local_resolution_status == "unresolved"
remote_resolution_status string | remote_resolution_status == "resolved"
http boolean | http
dns boolean | dns
tls boolean | tls
tlsx boolean | tlsx
tcp boolean | tcp
udp boolean | udp
sctp boolean | sctp
icmp boolean | icmp
grpc boolean | grpc
radius boolean | radius
diameter boolean | diameter
redis boolean | redis
kafka boolean | kafka
amqp boolean | amqp
ldap boolean | ldap
ws boolean | ws
gql boolean | gql
gqlv1 boolean | gqlv1
gqlv2 boolean | gqlv2
mongodb boolean | mongodb
mysql boolean | mysql
postgresql boolean | postgresql
conn boolean | conn
flow boolean | flow
tcp_conn boolean | tcp_conn
udp_conn boolean | udp_conn
tcp_flow boolean | tcp_flow
udp_flow boolean | udp_flow
method string | method == "GET"
url string | url contains "/"
path string | path == "/back"
status_code status | status_code == 200
http_version string | http_version == "1.1"
query_string map | size(query_string) > 0
request.headers map | request.headers["Host"] == "db.shop"
response.headers map | response.headers["content-length"] == "0"
request.cookies map | size(request.cookies) > 0
response.cookies map | size(response.cookies) > 0
request_headers_size integer | request_headers_size > 0
request_body_size integer | request_body_size > 0
response_headers_size integer | response_headers_size > 0
response_body_size integer | response_body_size > 0
grpc_method string | grpc_method != "" and grpc
grpc_status integer | grpc_status == 0
dns_questions list | "db.shop" in dns_questions
dns_answers list | "10.0.0.9" in dns_answers
dns_question_types list | "A" in dns_question_types
dns_request boolean | dns_request
dns_response boolean | dns_response
dns_request_length integer | dns_request_length > 20
dns_response_length integer | dns_response_length > 30
dns_total_size integer | dns_total_size > 50
tls_summary string | tls_summary != "" and tls
tls_info string | tls_info contains "Hello"
tls_request_size integer | tls_request_size > 0
tls_response_size integer | tls_response_size > 0
tls_total_size integer | tls_total_size > 0
tlsx_sni string | tlsx_sni contains "."
tlsx_cipher_suite integer | tlsx_cipher_suite > 0
tlsx_cipher_suites list | size(tlsx_cipher_suites) > 0
tlsx_alpn string | tlsx_alpn startswith "h"
tlsx_version integer | tlsx_version >= 768
tlsx_summary string | tlsx_summary != "" and tlsx
tlsx_info string | tlsx_info contains "Hello"
tcp_payload string | tcp_payload contains "what language"
tcp_error_type string | tcp_error_type == "refused"
tcp_error_message string | tcp_error_message == "refused"
udp_length integer | udp_length == 27
udp_payload string | udp_payload contains "no known protocol"
sctp_length integer | sctp_length == 9
icmp_type string | icmp_type != "" and icmp
icmp_version integer | icmp_version == 4
icmp_length integer | icmp_length > 0
ws_opcode string | ws_opcode == "text"
ws_request boolean | ws_request
ws_response boolean | ws_response
ws_request_payload_data string | ws_request_payload_data != "" and ws_request
ws_request_payload_length integer | ws_request_payload_length > 0
ws_response_payload_length integer | ws_response_payload_length > 0
redis_type string | redis_type != "" and redis
redis_command string | redis_command == "SET"
redis_key string | redis_key != "" and redis
redis_request_size integer | redis_request_size > 0
redis_response_size integer | redis_response_size > 0
redis_total_size integer | redis_total_size > 0
kafka_api_key integer | kafka_api_key == 0
kafka_api_key_name string | kafka_api_key_name == "Produce"
kafka_client_id string | kafka_client_id != "" and kafka
kafka_size integer | kafka_size > 0
kafka_request boolean | kafka_request
kafka_response boolean | kafka_response
kafka_request_summary string | kafka_request_summary != "" and kafka
kafka_request_size integer | kafka_request_size > 0
kafka_response_size integer | kafka_response_size > 0
amqp_method string | amqp_method == "queue.declare"
amqp_summary string | amqp_summary != "" and amqp
amqp_request boolean | amqp_request
amqp_response boolean | amqp_response
amqp_request_length integer | amqp_request_length > 0
amqp_response_length integer | amqp_response_length > 0
amqp_total_size integer | amqp_total_size > 0
ldap_type string | ldap_type != "" and ldap
ldap_summary string | ldap_summary != "" and ldap
ldap_request boolean | ldap_request
ldap_response boolean | ldap_response
ldap_request_length integer | ldap_request_length > 0
ldap_response_length integer | ldap_response_length > 0
ldap_total_size integer | ldap_total_size > 0
radius_code integer | radius_code == 1
radius_code_name string | radius_code_name == "Access-Request"
radius_request boolean | radius_request
radius_response boolean | radius_response
radius_request_authenticator string | size(radius_request_authenticator) == 32
radius_request_length integer | radius_request_length > 0
radius_response_length integer | radius_response_length > 0
radius_total_size integer | radius_total_size > 0
diameter_method string | diameter_method != "" and diameter
diameter_summary string | diameter_summary != "" and diameter
diameter_request boolean | diameter_request
diameter_response boolean | diameter_response
diameter_request_length integer | diameter_request_length > 0
diameter_response_length integer | diameter_response_length > 0
diameter_total_size integer | diameter_total_size > 0
mongodb_command string | mongodb_command == "find"
mongodb_database string | mongodb_database == "shop"
mongodb_collection string | mongodb_collection == "orders"
mongodb_opcode string | mongodb_opcode contains "MSG"
mongodb_request_size integer | mongodb_request_size > 0
mongodb_response_size integer | mongodb_response_size > 0
mongodb_total_size integer | mongodb_total_size > 0
mongodb_success boolean | mongodb_success
mongodb_error_code integer | mongodb_error_code == 26
mongodb_error_message string | mongodb_error_message == "no such thing"
mongodb_error_code_name string | mongodb_error_code_name == "NamespaceNotFound"
mysql_command string | mysql_command == "COM_QUERY"
mysql_query string | mysql_query contains "SELECT"
mysql_database string | mysql_database != "" and mysql
mysql_statement_id integer | mysql_statement_id > 0
mysql_request_size integer | mysql_request_size > 0
mysql_response_size integer | mysql_response_size > 0
mysql_total_size integer | mysql_total_size > 0
mysql_success boolean | mysql_success
mysql_error_code integer | mysql_error_code > 1000
mysql_error_message string | mysql_error_message contains "e"
postgresql_command string | postgresql_command != "" and postgresql
postgresql_query string | postgresql_query contains "select"
postgresql_database string | postgresql_database != "" and postgresql
postgresql_user string | postgresql_user != "" and postgresql
postgresql_request_size integer | postgresql_request_size > 0
postgresql_response_size integer | postgresql_response_size > 0
postgresql_total_size integer | postgresql_total_size > 0
postgresql_success boolean | postgresql_success
postgresql_error_code string | size(postgresql_error_code) == 5
postgresql_error_message string | postgresql_error_message contains "e"
conn_state string | conn_state == "closed"
conn_local_pkts integer | conn_local_pkts > 2
conn_local_bytes integer | conn_local_bytes > 100
conn_remote_pkts integer | conn_remote_pkts > 2
conn_remote_bytes integer | conn_remote_bytes > 100
conn_l7_detected list | "mongodb" in conn_l7_detected
conn_group_id integer | conn_group_id > 0
flow_state string | flow_state == "closed"
flow_local_pkts integer | flow_local_pkts > 2
flow_local_bytes integer | flow_local_bytes > 100
flow_remote_pkts integer | flow_remote_pkts > 2
flow_remote_bytes integer | flow_remote_bytes > 100
flow_local_pps integer | flow_local_pps > 1
flow_local_bps integer | flow_local_bps > 100
flow_remote_pps integer | flow_remote_pps > 1
flow_remote_bps integer | flow_remote_bps > 100
flow_l7_detected list | "mongodb" in flow_l7_detected
flow_group_id integer | flow_group_id > 0
request.path string | request.path contains "/back"
response.status status | response.status == 200
src.pod string | src.pod == "front-1"
dst.svc string | dst.svc == "back"
src.pod string | src.pod == "front-1" and dst.svc == "back" and request.path contains "/" and response.status == 200
`

/** Names that are known and that no call can have: refused with the reason, rather than answered with nothing. */
const REFUSED = ['tcp_method', 'udp_checksum', 'sctp_checksum', 'sctp_chunk_type']

const rows = TABLE.trim()
  .split('\n')
  .map((line) => {
    const [head, kfl] = line.split(' | ')
    const [name, type] = head.split(' ')
    return { name, type, kfl }
  })

const catalog = createCatalog(protocols)
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-reference-'))
let index: CallIndex
let live: readonly CallRecord[]

beforeAll(async () => {
  const options = { node: 'node-1', captureSource: 'af_packet', maxBytes: 0, memory: 256 * 1024 * 1024 }
  const known = { nodeIp: '10.9.9.9', packetsSince: () => 0 }
  index = await openIndex(folder, { ...options, ...known }, catalog)
  live = await appendKnownTraffic(index, 'node-1')
}, 60_000)

afterAll(async () => {
  await index.close()
  rmSync(folder, { recursive: true })
})

describe('the variables that users know', () => {
  test.each(rows)('$name: $kfl', async ({ name, type, kfl }) => {
    expect(catalog.find(name)?.type).toBe(type)
    const filter = compile(kfl, catalog)
    const expected = new Set(live.filter((call) => filter.matches(call)).map(({ id }) => id))
    expect(expected.size).toBeGreaterThan(0)
    // Captures may have a flow in common: an id counts once.
    const page = await index.calls({ filter, limit: 100_000, order: 'newest' })
    expect(new Set(page.calls.map(({ id }) => id))).toEqual(expected)
  })

  test.each(REFUSED)('%s is refused with the reason', (name) => {
    expect(catalog.find(name)).toBeUndefined()
    expect(() => compile(`${name} == 1`, catalog)).toThrow(KflError)
    expect(() => compile(`${name} == 1`, catalog)).toThrow(/is a known name, but no call here has it: /)
  })
})
