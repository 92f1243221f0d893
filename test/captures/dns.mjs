// Makes the captures of packages/dissect/src/protocols/dns/captures with BIND's named, dig and nsupdate. Needs bind9,
// bind9-dnsutils and tcpdump; run as root, in a network of its own as run-all.mjs gives it. The goldens are then
// written with
//   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/dns
import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { finish, record, run, serve, work } from './recorder.mjs'

const HOST = '127.0.0.2'
const PORT = 53
const file = (name) => join(work, name)
const dig = (...args) => run('', 'dig', `@${HOST}`, '+tries=1', '+nocookie', ...args)
const HEX = '0123456789abcdef'

const soa = (serial) => `$TTL 300
@ SOA ns.shop.test. admin.shop.test. ${serial} 3600 600 86400 60
@ NS ns.shop.test.
`
const zones = {
  'shop.test': `${soa(7)}
@ MX 10 mail
@ TXT "v=spf1 -all" "second string"
@ CAA 0 issue "ca.example.net"
@ HTTPS 1 . alpn=h2
ns A ${HOST}
mail A 10.0.0.25
web A 10.0.0.1
web A 10.0.0.2
web AAAA fd00::1
www CNAME web
_http._tcp SRV 0 5 8080 web
_443._tcp TLSA 3 1 1 ${HEX.repeat(4)}
sip NAPTR 100 10 "U" "E2U+sip" "!^.*$!sip:info@shop.test!" .
svc SVCB 1 web alpn=h2,h3 port=8443 ipv4hint=10.0.0.1 ipv6hint=fd00::1
host SSHFP 1 1 ${HEX.repeat(2)}01234567
host HINFO x86-64 linux
host LOC 51 30 12.748 N 0 7 39.612 W 0m 1m 2000m
delegated NS ns.elsewhere.test.
delegated DS 12345 13 2 ${HEX.repeat(4)}
uri URI 10 1 "https://shop.test/"
dn DNAME web
odd\\.label TXT dots
$GENERATE 1-60 pod-$ A 10.1.0.$
`,
  '2.0.127.in-addr.arpa': `${soa(1)}
9 PTR web.shop.test.
`,
  'signed.test': `${soa(7)}
a A 10.0.0.1
`,
  'hashed.test': `${soa(7)}
a A 10.0.0.1
`,
}

/** What is said of a zone besides its file. */
const more = {
  'shop.test': 'allow-update { 127.0.0.1; };',
  'signed.test': 'dnssec-policy plain; inline-signing yes;',
  'hashed.test': 'dnssec-policy hashed; inline-signing yes;',
}

function configure() {
  const keys = 'keys { csk lifetime unlimited algorithm ecdsap256sha256; };'
  const entries = Object.entries(zones).map(([zone, text]) => {
    writeFileSync(file(zone), text)
    return `zone "${zone}" { type primary; file "${zone}"; ${more[zone] ?? ''} };\n`
  })
  writeFileSync(
    file('named.conf'),
    `options {
  directory "${work}";
  pid-file "${work}/named.pid";
  session-keyfile "${work}/session.key";
  listen-on port ${PORT} { 127.0.0.1; ${HOST}; };
  listen-on-v6 { none; };
  recursion no;
  notify no;
  allow-transfer { any; };
  dnssec-validation no;
};
controls { };
dnssec-policy plain { ${keys} };
dnssec-policy hashed { ${keys} nsec3param iterations 0 optout no salt-length 4; };
${entries.join('')}`,
  )
}

/** Waits until named has signed the zones, which it does once it serves them. */
async function signed() {
  const has = (type, name) => {
    const { status, stdout } = spawnSync('dig', [`@${HOST}`, '+short', '+tries=1', type, name])
    return status === 0 && stdout.length > 0
  }
  for (let waited = 0; waited < 20_000; waited += 200) {
    if (has('RRSIG', 'a.signed.test') && has('RRSIG', 'a.hashed.test') && has('NSEC3PARAM', 'hashed.test'))
      return
    await sleep(200)
  }
  throw new Error('named does not sign its zones')
}

/** Asked without EDNS: one of each type that the zone has, and what it has not. */
const PLAIN = [
  ['A', 'web.shop.test'],
  ['AAAA', 'web.shop.test'],
  ['A', 'www.shop.test'],
  ['MX', 'shop.test'],
  ['TXT', 'shop.test'],
  ['SOA', 'shop.test'],
  ['NS', 'shop.test'],
  ['CAA', 'shop.test'],
  ['SRV', '_http._tcp.shop.test'],
  ['NAPTR', 'sip.shop.test'],
  ['SVCB', 'svc.shop.test'],
  ['HTTPS', 'shop.test'],
  ['TLSA', '_443._tcp.shop.test'],
  ['SSHFP', 'host.shop.test'],
  ['HINFO', 'host.shop.test'],
  ['LOC', 'host.shop.test'],
  ['DS', 'delegated.shop.test'],
  ['URI', 'uri.shop.test'],
  ['DNAME', 'dn.shop.test'],
  ['A', 'nothing.shop.test'],
  ['A', 'a.example.org'],
  ['-x', '127.0.2.9'],
  ['TXT', 'odd\\.label.shop.test'],
  ['A', 'WeB.ShOp.TeSt'],
]

try {
  configure()
  // named listens only on addresses that an interface has.
  execFileSync('ip', ['address', 'replace', `${HOST}/8`, 'dev', 'lo'])
  await serve(PORT, 'named', '-f', '-c', file('named.conf'))
  await signed()
  // The transfers come first: the update at the end of the queries changes the zone's serial number.
  await record('dns', 'tcp-and-transfers', `port ${PORT}`, async () => {
    await dig('+tcp', 'A', 'web.shop.test')
    await dig('+tcp', '+keepopen', 'web.shop.test', 'mail.shop.test', 'none.shop.test')
    await dig('AXFR', 'shop.test')
    await dig('AXFR', 'signed.test')
    await dig('IXFR=7', 'shop.test')
    await dig('IXFR=1', 'shop.test')
    await dig('AXFR', 'other.test')
  })

  await record('dns', 'queries', `port ${PORT}`, async () => {
    for (const question of PLAIN) await dig('+noedns', ...question)
    await dig('ANY', 'web.shop.test')
    await dig('+dnssec', '+bufsize=512', 'DNSKEY', 'signed.test')
    for (const name of ['a.signed.test', 'none.signed.test', 'none.hashed.test'])
      await dig('+dnssec', 'A', name)
    await dig('NSEC3PARAM', 'hashed.test')
    await dig('+cookie=0011223344556677', 'A', 'web.shop.test')
    await dig('+edns=1', '+noednsnegotiation', 'A', 'web.shop.test')
    await dig('CH', 'TXT', 'version.bind')
    await dig('+opcode=NOTIFY', 'SOA', 'shop.test')
    await run(`server ${HOST}\nupdate add new.shop.test 60 A 10.9.9.9\nsend\n`, 'nsupdate')
  })
} finally {
  await finish()
}
