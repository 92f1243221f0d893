const MOST = 4096

/**
 * The connections that webhooks went out on. They are traffic as well: an agent that saw its own deliveries
 * would send the next one because of the last, without end.
 */
export class OwnConnections {
  /** By address and port of our end, the oldest first. */
  readonly #ends = new Set<string>()

  add(ip: string, port: number): void {
    this.#ends.add(`${ip.replace(/^::ffff:/, '')} ${port}`)
    if (this.#ends.size > MOST) for (const oldest of this.#ends) return void this.#ends.delete(oldest)
  }

  has({ ip, port }: { readonly ip: string; readonly port: number }): boolean {
    return this.#ends.has(`${ip} ${port}`)
  }
}
