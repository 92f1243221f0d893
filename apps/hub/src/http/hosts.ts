import { Problem } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'

/**
 * Which names the hub answers to. A page of another site can make its own name point at this machine and so speak to a
 * local port as if it were its own (DNS rebinding); its requests carry that name in `Host`. Where the hub listens on a
 * local address, it therefore answers only to names of this machine and to those that were configured. Elsewhere the
 * names of services and proxies are not ours to know, and the network decides who can reach us.
 */
export class Hosts {
  #local = false
  #names: ReadonlySet<string> = new Set()

  configure({ host, publicUrl, allowedHosts }: Config['hub']): void {
    const names = [host, ...allowedHosts, ...(publicUrl === '' ? [] : [new URL(publicUrl).hostname])]
    this.#names = new Set(names.map((name) => bare(name.toLowerCase())))
  }

  /** The address that the hub listens on from now. */
  bind(address: string): void {
    this.#local = isLocal(bare(address.toLowerCase()))
  }

  /** Throws 403 for a name that is not ours. */
  check(host: string | null | undefined): void {
    if (!this.#local || !host) return
    const name = bare(host.toLowerCase().replace(/:\d*$/, ''))
    if (isLocal(name) || this.#names.has(name)) return
    throw new Problem(403, 'foreign_host', `Host "${host.slice(0, 200)}" is not allowed`, {
      hint: 'Add the name to hub.allowedHosts.',
    })
  }
}

function isLocal(name: string): boolean {
  return (
    name === 'localhost' ||
    name.endsWith('.localhost') ||
    name === '::1' ||
    /^127\.\d{1,3}\.\d{1,3}\.\d{1,3}$/.test(name)
  )
}

/** An IPv6 address without its brackets, a name without its last dot. */
function bare(name: string): string {
  return name.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
}
