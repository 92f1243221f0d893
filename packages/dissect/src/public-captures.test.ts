import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { CaptureReader } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import type { Call } from './contract/call.ts'
import { Dissection } from './dissection.ts'

/** Captures of other projects. They are not part of the repository; the tests run if they are next to it. */
const folder = new URL('../../../../shared/captures/packetbeat/', import.meta.url)

/** What tshark 4.0 shows, request by request. Differences are explained. */
const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  'http_100_continue.pcap': ['POST /filebeat/_doc/mydoc 200'],
  'http_10_connection_close.pcap': ['GET /api/drivers/ 200'],
  'http_basicauth.pcap': ['AAAA www.example.com NOERROR', 'GET / 200'],
  'http_get_2k_file.pcap': ['GET /2k.file 200'],
  'http_minitwit.pcap': [
    'GET / 200',
    'GET / 200',
    'GET /favicon.ico 404',
    'GET /favicon.ico 404',
    'GET /static/style.css 304',
    'GET /static/style.css 304',
  ],
  'http_over_vlan.pcap': ['GET /jpetstore/ 200'],
  'http_post.pcap': ['POST /register 404'],
  'http_post_json.pcap': ['POST /logstash-*/_search 200'],
  'http_realip.pcap': ['GET / 200'],
  // The 404 was sent before any request on its connection.
  'http_unmatched.pcap': ['404 midstream', 'GET /someotherthing 200', 'GET /something no_response'],
  'http_unmatched_timeout.pcap': ['GET /something unfinished'],
  'http_url_params.pcap': ['GET /dashboard/transactions 404'],
  'http_x_forwarded_for.pcap': ['GET / 301'],
  'hide_secret_GET.pcap': ['GET /login 404'],
  'hide_secret_POST.pcap': ['POST /login 404'],
  // 48 KB of its body were not captured. tshark shows no response; we show what there is.
  'gap_in_stream.pcap': ['GET /jszip.min.js 200 cut'],
  'dns_additional.pcap': ['A heise.de NOERROR'],
  'dns_google_com.pcap': ['A google.com NOERROR'],
  'dns_mx.pcap': ['MX elastic.co NOERROR'],
  'dns_not_found.pcap': ['A nothing.elastic.co NXDOMAIN'],
  'dns_ns.pcap': ['NS elastic.co NOERROR'],
  'dns_tcp_axfr.pcap': ['AXFR etas.com NOERROR'],
  'dns_txt.pcap': ['TXT elastic.co NOERROR'],
  'dns_udp_edns_ds.pcap': ['DS ietf.org NOERROR'],
  'udp_edns0_resp.pcap': ['ANY peacecorps.gov NOERROR midstream'],
}

/** Calls by protocol. Traffic of an unsupported protocol is one call per flow. */
const COUNTS: Readonly<Record<string, string>> = {
  '802.1q-q-in-q-icmp.pcap': 'icmp 1',
  'amqp_channel_error.pcap': 'amqp 9',
  'amqp_emit_receive.pcap': 'amqp 19',
  'amqp_publish.pcap': 'amqp 9',
  'cassandra/v4/cassandra_compressed.pcap': 'cassandra 20',
  'cassandra/v4/cassandra_create_index.pcap': 'cassandra 8',
  'cassandra/v4/cassandra_create_keyspace.pcap': 'cassandra 4',
  'cassandra/v4/cassandra_create_table.pcap': 'cassandra 8',
  'cassandra/v4/cassandra_insert.pcap': 'cassandra 1',
  'cassandra/v4/cassandra_mixed_frame.pcap': 'cassandra 17, http 19',
  'cassandra/v4/cassandra_select.pcap': 'cassandra 1',
  'cassandra/v4/cassandra_select_via_index.pcap': 'cassandra 1',
  'cassandra/v4/cassandra_trace_err.pcap': 'cassandra 1',
  'dhcp.pcap': 'udp 2',
  'dns_additional.pcap': 'dns 1',
  'dns_google_com.pcap': 'dns 1',
  'dns_mx.pcap': 'dns 1',
  'dns_not_found.pcap': 'dns 1',
  'dns_ns.pcap': 'dns 1',
  'dns_tcp_axfr.pcap': 'dns 1',
  'dns_txt.pcap': 'dns 1',
  'dns_udp_edns_ds.pcap': 'dns 1',
  'gap_in_stream.pcap': 'http 1',
  'hide_secret_GET.pcap': 'http 1',
  'hide_secret_POST.pcap': 'http 1',
  'http2-16-ssl.pcap': 'tls 1',
  'http_100_continue.pcap': 'http 1, tcp 25',
  'http_10_connection_close.pcap': 'http 1, postgresql 1, tls 1',
  'http_basicauth.pcap': 'dns 1, http 1',
  'http_get_2k_file.pcap': 'http 1, tcp 1',
  'http_minitwit.pcap': 'http 6',
  'http_over_vlan.pcap': 'http 1',
  'http_post.pcap': 'http 1',
  'http_post_json.pcap': 'http 1',
  'http_realip.pcap': 'http 1',
  'http_unmatched.pcap': 'http 3',
  'http_unmatched_timeout.pcap': 'http 1, tcp 2',
  'http_url_params.pcap': 'http 1',
  'http_x_forwarded_for.pcap': 'http 1',
  'icmp/icmp4_ping.pcap': 'icmp 1',
  'icmp/icmp4_ping_over_vlan.pcap': 'icmp 1',
  'icmp/icmp6_ping.pcap': 'icmp 1',
  'icmp/icmp6_ping_over_vlan.pcap': 'icmp 1',
  'icmp/icmp_2_pings.pcap': 'icmp 2',
  'ipv6_thrift.pcap': 'tcp 1',
  'memcache/memcache_bin_tcp_counter_ops.pcap': 'memcached 5',
  'memcache/memcache_bin_tcp_delete.pcap': 'memcached 4',
  'memcache/memcache_bin_tcp_multi_store_load.pcap': 'memcached 10',
  'memcache/memcache_bin_tcp_single_load_store.pcap': 'memcached 3',
  'memcache/memcache_bin_tcp_stats.pcap': 'memcached 4',
  'memcache/memcache_bin_udp_counter_ops.pcap': 'memcached 3',
  'memcache/memcache_bin_udp_delete.pcap': 'memcached 2',
  'memcache/memcache_bin_udp_multi_store.pcap': 'memcached 3',
  'memcache/memcache_bin_udp_single_store.pcap': 'memcached 1',
  'memcache/memcache_text_tcp_counter_ops.pcap': 'memcached 5',
  'memcache/memcache_text_tcp_delete.pcap': 'memcached 4',
  'memcache/memcache_text_tcp_multi_store_load.pcap': 'memcached 5',
  'memcache/memcache_text_tcp_single_load_store.pcap': 'memcached 3',
  'memcache/memcache_text_tcp_stats.pcap': 'memcached 4',
  'memcache/memcache_text_udp_counter_ops.pcap': 'memcached 3',
  'memcache/memcache_text_udp_delete.pcap': 'memcached 2',
  'memcache/memcache_text_udp_multi_store.pcap': 'memcached 3',
  'memcache/memcache_text_udp_single_store.pcap': 'memcached 1',
  'mongo_3.0_session.pcap': 'mongodb 24',
  'mongo_one_row.pcap': 'mongodb 1',
  'mongodb_create_collection.pcap': 'mongodb 4',
  'mongodb_find.pcap': 'mongodb 2',
  'mongodb_insert_duplicate_key.pcap': 'mongodb 3',
  'mongodb_inserts.pcap': 'mongodb 5',
  'mongodb_invalid_opcode_2269.pcap': 'tcp 3',
  'mongodb_more_rows.pcap': 'mongodb 1',
  'mongodb_op_msg_opcode.pcap': 'mongodb 101',
  'mongodb_reply_request_reply.pcap': 'mongodb 2',
  'mongodb_use_db.pcap': 'mongodb 1',
  'mysql_affected_rows.pcap': 'mysql 1',
  'mysql_connection.pcap': 'mysql 8',
  'mysql_err_database_not_selected.pcap': 'mysql 1',
  'mysql_int_string_operations.pcap': 'mysql 159',
  'mysql_long.pcap': 'mysql 1',
  'mysql_long_result.pcap': 'mysql 1',
  'mysql_prepare_statement.pcap': 'mysql 2',
  'mysql_windows_lineending.pcap': 'mysql 2',
  'mysql_with_gap.pcap': 'mysql 1',
  'mysql_with_whitespaces.pcap': 'mysql 13',
  'nfs4_close.pcap': 'tcp 1',
  'nfs_v3.pcap': 'tcp 1',
  'nfs_v4.pcap': 'tcp 1',
  'nfsv42_clone.pcap': 'tcp 1',
  'nfsv42_layoutstats.pcap': 'tcp 1',
  'pgsql_extended_query.pcap': 'postgresql 3',
  'pgsql_insert.pcap': 'postgresql 1',
  'pgsql_insert_error.pcap': 'postgresql 1',
  'pgsql_long_result.pcap': 'postgresql 1',
  'pgsql_request_response.pcap': 'postgresql 1',
  'pgsql_rt.pcap': 'postgresql 5',
  'redis_one_transaction.pcap': 'redis 1',
  'redis_session.pcap': 'redis 11',
  'rpc_fragment.pcap': 'tcp 1',
  'sip.pcap': 'udp 1',
  'sip_authenticated_register.pcap': 'udp 1',
  'sip_tcp.pcap': 'tcp 1',
  'thrift_echo_binary.pcap': 'tcp 1',
  'thrift_integration.pcap': 'tcp 17',
  'thrift_tutorial.pcap': 'tcp 1',
  'thrift_tutorial_framed_transport.pcap': 'tcp 1',
  'tls-sample1.pcap': 'tls 1',
  'tls-sample2.pcap': 'tls 1',
  'tls-version-13.pcap': 'tls 1',
  'udp_edns0_resp.pcap': 'dns 1',
  'wsgi_drum.pcap': 'http 17',
  'wsgi_loopback.pcap': 'http 1',
}

function dissect(name: string): Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({
    emit: (call) => calls.push(call),
    fault: (error) => {
      throw error
    },
  })
  const reader = new CaptureReader(dissection, dissection.loss)
  reader.push(new Uint8Array(readFileSync(new URL(name, folder))))
  reader.end()
  dissection.end()
  return calls
}

function line({ summary: { method, path, status }, missing, response }: Call): string {
  const cut = response?.truncated ? 'cut' : undefined
  return [method, path, status, missing, cut].filter((part) => part !== undefined).join(' ')
}

describe.skipIf(!existsSync(folder))('captures of other projects', () => {
  it.each(Object.entries(EXPECTED))('%s gives every call', (name, expected) => {
    const known = dissect(name).filter(({ protocol }) => protocol === 'http' || protocol === 'dns')
    expect(known.map(line).sort()).toEqual(expected)
  })

  it.each(Object.entries(COUNTS))('%s holds %s', (name, expected) => {
    const counts = new Map<string, number>()
    for (const { protocol } of dissect(name)) counts.set(protocol, (counts.get(protocol) ?? 0) + 1)
    expect(
      [...counts]
        .sort()
        .map(([protocol, count]) => `${protocol} ${count}`)
        .join(', '),
    ).toBe(expected)
  })

  it('are all covered', () => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    expect(names.filter((name) => name.endsWith('.pcap')).sort()).toEqual(Object.keys(COUNTS).sort())
  })
})
