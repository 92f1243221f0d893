import { Problem } from '@tapdeck/api'

/** What bad credentials of one address may cost at once, and a second after that; a cheap one costs 1. */
const BURST = 1000
const A_SECOND = 20
/** A signed token that had to be verified here or by another service. */
export const SIGNED_TOKEN_COST = 5
const MAX_ADDRESSES = 10_000
const TELL_EVERY_MS = 10_000

interface Bucket {
  left: number
  at: number
  /** When it was last logged. */
  toldAt: number
}

/**
 * Slows down guessing. An address that has used up its failures gets 429 for credentials that would have to be
 * looked at more closely; ones that are known to be good are never held up by others behind the same address.
 */
export class FailedCredentials {
  readonly #buckets = new Map<string, Bucket>()
  #refused = 0

  /** How many were not even looked at. */
  get refused(): number {
    return this.#refused
  }

  /** Throws 429 where this address failed too often. */
  admit(address: string, now: number): void {
    const bucket = this.#bucket(address, now)
    if (bucket === undefined || bucket.left >= 1) return
    this.#refused++
    const seconds = Math.ceil((1 - bucket.left) / A_SECOND)
    throw new Problem(429, 'too_many_failures', 'Too many failed logins from this address', {
      retry_after: Math.max(1, seconds),
    })
  }

  /** Returns whether it is worth a line in the log. */
  failed(address: string, now: number, cost = 1): boolean {
    const key = networkOf(address)
    const bucket = this.#bucket(address, now) ?? { left: BURST, at: now, toldAt: 0 }
    const loud = bucket.left >= 1 && (bucket.left === BURST || now - bucket.toldAt > TELL_EVERY_MS)
    if (loud) bucket.toldAt = now
    bucket.left = Math.max(0, bucket.left - cost)
    this.#buckets.delete(key)
    this.#buckets.set(key, bucket)
    for (const oldest of this.#buckets.keys()) {
      if (this.#buckets.size <= MAX_ADDRESSES) break
      this.#buckets.delete(oldest)
    }
    return loud
  }

  #bucket(address: string, now: number): Bucket | undefined {
    const bucket = this.#buckets.get(networkOf(address))
    if (bucket === undefined) return undefined
    bucket.left = Math.min(BURST, bucket.left + (Math.max(0, now - bucket.at) / 1000) * A_SECOND)
    bucket.at = now
    return bucket
  }
}

/** A client with one IPv6 address has 2^64 of them. */
export function networkOf(address: string): string {
  if (!address.includes(':') || address.startsWith('::ffff:')) return address
  return address.split(':').slice(0, 4).join(':')
}
