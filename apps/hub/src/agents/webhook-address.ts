import { promises as dns, lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { Problem } from '@tapdeck/api'
import { embeddedIpv4 } from './embedded-ipv4.ts'

/**
 * Where webhooks never go: link-local addresses, where clouds hand out credentials to any client, and what is no
 * address of one host. Private addresses are allowed, because in a cluster nearly every receiver has one.
 */
const refused = new BlockList()
refused.addSubnet('0.0.0.0', 8)
refused.addSubnet('169.254.0.0', 16)
refused.addSubnet('224.0.0.0', 3)
refused.addSubnet('fe80::', 10, 'ipv6')
refused.addSubnet('ff00::', 8, 'ipv6')
refused.addAddress('::', 'ipv6')

/** Where clouds offer credentials, or control of the machine, outside of the link-local ranges. */
const METADATA_IPV4 = [
  // Alibaba Cloud.
  '100.100.100.200',
  // Azure: the host agent and the platform's DNS.
  '168.63.129.16',
  // Oracle Cloud Classic.
  '192.0.0.192',
]
const METADATA_IPV6 = [
  // Alibaba Cloud.
  'fd00:100::100:200',
  // Oracle Cloud.
  'fd00:c1::a9fe:a9fe',
  // Scaleway.
  'fd00:42::42',
  // Akamai (Linode).
  'fd00:a9fe:a9fe::1',
  // Google Cloud.
  'fd20:ce::254',
]
for (const address of METADATA_IPV4) refused.addAddress(address)
for (const address of METADATA_IPV6) refused.addAddress(address, 'ipv6')
// AWS: all local services, among them instance metadata (`::254`) and the identities of pods of EKS (`::23`).
refused.addSubnet('fd00:ec2::', 32, 'ipv6')

export function isRefused(address: string): boolean {
  const version = isIP(address)
  if (version === 4) return refused.check(address, 'ipv4')
  if (version === 0 || refused.check(address, 'ipv6')) return true
  // The loopback is allowed by both its addresses, and `::1` looks like an embedded 0.0.0.1.
  return address !== '::1' && embeddedIpv4(address).some((one) => refused.check(one, 'ipv4'))
}

/** Looks names up and refuses the addresses themselves, so that a name cannot lead where its address may not. */
export const guardedLookup: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    const allowed = error ? [] : found.filter(({ address }) => !isRefused(address))
    if (error) done(error, '', 0)
    else if (allowed.length === 0)
      done(new Error(`webhooks to the address of ${host} are not allowed`), '', 0)
    else if (options.all) done(null, allowed)
    else done(null, allowed[0]!.address, allowed[0]!.family)
  })
}

/** A name that does not resolve in this time is accepted: each delivery checks its address again. */
const RESOLVE_WITHIN_MS = 2000

/** Throws 400 for a webhook that could never be delivered, as far as its address is known now. */
export async function requireAllowedAddress(url: string): Promise<void> {
  const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await addressesOf(host) : [host]
  if (addresses.length === 0 || !addresses.every(isRefused)) return
  throw new Problem(400, 'refused_address', `Webhooks to ${host} are not allowed`, {
    hint: 'Link-local, cloud metadata, multicast and unspecified addresses are refused. Use the address of the receiver.',
  })
}

/** Empty if the name does not resolve now. */
async function addressesOf(host: string): Promise<string[]> {
  const found = dns.lookup(host, { all: true }).then(
    (all) => all.map(({ address }) => address),
    () => [],
  )
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string[]>((done) => {
    timer = setTimeout(() => done([]), RESOLVE_WITHIN_MS)
  })
  return Promise.race([found, late]).finally(() => clearTimeout(timer))
}
