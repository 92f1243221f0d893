import { isIP } from 'node:net'
import type { WorkerRequests } from '@tapdeck/api'
import type { OwnEnd } from '../capture/kernel-filter.ts'

type HubPlace = WorkerRequests['hub_place']['input']

const LOOPBACKS = ['127.0.0.1', '::1']

/**
 * Which packets are our own, and not to be captured. While it is not known where the hub is, all that has its port may
 * be: the first request to it carries a credential, and behind a name that leads on to another address nobody knows its
 * place before. Once the hub has said where it is, others may have that port elsewhere.
 */
export class OwnTraffic {
  readonly #port: number | undefined
  readonly #leaveOut: (ends: readonly OwnEnd[]) => Promise<void>
  #reached: string | undefined

  /** `port`: that of the address by which the hub is reached; undefined where others share it. */
  constructor(port: number | undefined, leaveOut: (ends: readonly OwnEnd[]) => Promise<void>) {
    this.#port = port
    this.#leaveOut = leaveOut
  }

  /** What is left out as long as nothing is known. */
  get unknown(): readonly OwnEnd[] {
    return this.#port === undefined ? [] : [{ port: this.#port }]
  }

  /** The address at the other end of the link, as this machine sees it. */
  reached(address: string | undefined): void {
    this.#reached = address?.replace(/^::ffff:(?=\d+\.)/, '').replace(/%.*/, '')
  }

  async told({ addresses, port }: HubPlace): Promise<void> {
    const ends = addresses.map((address) => ({ address, port }))
    if (this.#port !== undefined)
      for (const address of this.#alsoReached()) ends.push({ address, port: this.#port })
    await this.#leaveOut(ends.filter(({ address }) => isIP(address) !== 0 && !address.includes('%')))
  }

  /** The next one may be elsewhere. */
  lost(): void {
    this.#reached = undefined
    void this.#leaveOut(this.unknown)
  }

  /** On this machine the hub has more than one name. */
  #alsoReached(): readonly string[] {
    if (this.#reached === undefined) return []
    return /^(127\.|::1$)/.test(this.#reached) ? [...LOOPBACKS, this.#reached] : [this.#reached]
  }
}
