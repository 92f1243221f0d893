import { existsSync, readFileSync } from 'node:fs'
import { CaptureReader } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import type { Call } from './call.ts'
import { Dissection } from './dissection.ts'

/** Captures of other projects, which are not part of this one: looked at where somebody has laid them beside it. */
const folder = new URL('../../../../shared/captures/packetbeat/', import.meta.url)

/** What tshark 4.0 says of them, request by request; where we differ, the reason stands beside. */
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
  // The 404 was sent before anything was asked on its connection.
  'http_unmatched.pcap': ['404 midstream', 'GET /someotherthing 200', 'GET /something no_response'],
  'http_unmatched_timeout.pcap': ['GET /something no_response'],
  'http_url_params.pcap': ['GET /dashboard/transactions 404'],
  'http_x_forwarded_for.pcap': ['GET / 301'],
  'hide_secret_GET.pcap': ['GET /login 404'],
  'hide_secret_POST.pcap': ['POST /login 404'],
  // 48 KB of its body were not captured. tshark does not show the response at all; we show what there is of it.
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
})
