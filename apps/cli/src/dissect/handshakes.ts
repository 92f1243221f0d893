export interface HandshakePercentiles {
  readonly tcp_handshake_p50_us: number
  readonly tcp_handshake_p90_us: number
  readonly tcp_handshake_p99_us: number
}

/** Times that TCP handshakes took, by destination service. */
export class Handshakes {
  readonly #times = new Map<string, number[]>()

  add(service: string, microseconds: number): void {
    const times = this.#times.get(service)
    if (times) times.push(microseconds)
    else this.#times.set(service, [microseconds])
  }

  /** Of each service, by nearest rank: values that were really measured. */
  percentiles(): Map<string, HandshakePercentiles> {
    const result = new Map<string, HandshakePercentiles>()
    for (const [service, times] of this.#times) {
      const sorted = Float64Array.from(times).sort()
      const at = (share: number) => Math.round(sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)]!)
      result.set(service, {
        tcp_handshake_p50_us: at(0.5),
        tcp_handshake_p90_us: at(0.9),
        tcp_handshake_p99_us: at(0.99),
      })
    }
    return result
  }
}
