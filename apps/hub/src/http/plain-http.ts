import { Problem } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'
import { blockContains, type IpBlock, parseIpBlock } from '@tapdeck/ip'

/** Probes of the cluster carry no credential, and the answers say nothing about nodes. */
const PROBES = new Set(['/healthz', '/readyz'])

type Rule = Pick<Config['hub'], 'plainHttp' | 'trustedProxies'>

export interface PlainRequest {
  /** The other end of the connection. */
  readonly from: string
  readonly path: string
  /** The header `X-Forwarded-Proto`. */
  readonly forwardedProto: string | undefined
}

/**
 * Which requests a port without TLS accepts while callers are identified: a credential must not cross the network in clear. A port-forward
 * arrives on the loopback of the pod; a proxy that is trusted says that its client used TLS.
 */
export class PlainHttp {
  readonly #identifies: () => boolean
  #anywhere = false
  #proxies: readonly IpBlock[] = []
  #rule: Rule | undefined

  constructor(identifies: () => boolean) {
    this.#identifies = identifies
  }

  /** As configured now. */
  get rule(): Rule | undefined {
    return this.#rule
  }

  configure({ plainHttp, trustedProxies }: Rule): void {
    this.#rule = { plainHttp, trustedProxies }
    this.#anywhere = plainHttp === 'anywhere'
    this.#proxies = trustedProxies.map(parseIpBlock).filter((block) => block !== undefined)
  }

  /** Throws 403 for a request that must use TLS. */
  check({ from, path, forwardedProto }: PlainRequest): void {
    if (this.#anywhere || !this.#identifies() || isLoopback(from) || PROBES.has(path)) return
    const address = withoutMapping(from)
    const isProxy = this.#proxies.some((block) => blockContains(block, address))
    if (isProxy && forwardedProto?.trim().toLowerCase() === 'https') return
    throw new Problem(
      403,
      'tls_required',
      'With authentication, this hub does not accept requests without TLS',
      {
        hint: isProxy
          ? 'The proxy is trusted, but it does not say X-Forwarded-Proto: https.'
          : 'Use a port-forward, set tap.tls.cert, or name the proxy that ends TLS in hub.trustedProxies.',
      },
    )
  }
}

export function isLoopback(address: string): boolean {
  const plain = withoutMapping(address)
  return plain === '::1' || plain.startsWith('127.')
}

/** An IPv4 address on an IPv6 socket is written ::ffff:10.0.0.1. */
function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '')
}
