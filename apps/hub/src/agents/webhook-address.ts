import { lookup as resolve } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'

/**
 * Where webhooks never go: link-local addresses, where clouds hand out credentials to whoever asks, and what is no
 * address of one host. Private addresses are allowed, because in a cluster nearly every receiver has one.
 */
const refused = new BlockList()
refused.addSubnet('0.0.0.0', 8)
refused.addSubnet('169.254.0.0', 16)
refused.addSubnet('224.0.0.0', 3)
refused.addAddress('::', 'ipv6')
refused.addSubnet('fe80::', 10, 'ipv6')
refused.addSubnet('ff00::', 8, 'ipv6')
refused.addAddress('fd00:ec2::254', 'ipv6')

export function isRefused(address: string): boolean {
  const version = isIP(address)
  return version === 0 || refused.check(address, version === 6 ? 'ipv6' : 'ipv4')
}

/** Looks names up and refuses the addresses themselves, so that a name cannot lead where its address may not. */
export const guardedLookup: LookupFunction = (host, options, done) => {
  resolve(host, { ...options, all: true }, (error, found) => {
    const allowed = error ? [] : found.filter(({ address }) => !isRefused(address))
    if (error) done(error, '', 0)
    else if (allowed.length === 0) done(new Error(`webhooks may not go to the address of ${host}`), '', 0)
    else if (options.all) done(null, allowed)
    else done(null, allowed[0]!.address, allowed[0]!.family)
  })
}
