import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpClient } from './http-client.ts'

/** One pod, with an address of its own on the loopback interface of the namespace. */
export interface StagePod {
  readonly service: string
  readonly name: string
  readonly ip: string
}

const HEALTHY_MS = 7000
const FAULT_MS = 7000

/** Addresses of services by their order: the same in the process that plays and in the one that names them. */
export function podsOf(services: Readonly<Record<string, number>>): readonly StagePod[] {
  return Object.entries(services).flatMap(([service, pods], at) =>
    Array.from({ length: pods }, (_, pod) => ({
      service,
      name: `${service}-${pod}`,
      ip: `10.77.${at + 1}.${pod + 1}`,
    })),
  )
}

/** Where an incident is played: pods, load, and the moment of the fault. */
export class Stage {
  readonly pods: readonly StagePod[]
  /** Resolves when the fault begins. */
  readonly fault: Promise<void>
  /** Resolves when the load ends. */
  readonly end: Promise<void>
  #isFaulty = false
  #isOver = false
  /** A seeded generator: the same sequence of choices in each run. */
  #seed = 12_345

  constructor(services: Readonly<Record<string, number>>) {
    this.pods = podsOf(services)
    this.fault = sleep(HEALTHY_MS).then(() => {
      this.#isFaulty = true
    })
    this.end = sleep(HEALTHY_MS + FAULT_MS).then(() => {
      this.#isOver = true
    })
  }

  get isFaulty(): boolean {
    return this.#isFaulty
  }

  get isOver(): boolean {
    return this.#isOver
  }

  podsOf(service: string): readonly StagePod[] {
    return this.pods.filter((pod) => pod.service === service)
  }

  pod(service: string, number = 0): StagePod {
    const found = this.podsOf(service)[number]
    if (found === undefined) throw new Error(`no pod ${number} of ${service}`)
    return found
  }

  /** A client with keep-alive connections that leave from the address of its pod. */
  client(service: string, number = 0): HttpClient {
    return new HttpClient(this, this.pod(service, number))
  }

  /** A number from 0 to 1. */
  random(): number {
    this.#seed = (Math.imul(this.#seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return this.#seed / 0x7fff_ffff
  }

  /** Runs work again and again until the end, about so often. Work that fails is work done: its client saw the failure. */
  every(milliseconds: number | (() => number), work: () => Promise<unknown>): void {
    const loop = async () => {
      while (!this.#isOver) {
        void work().catch(() => undefined)
        const pause = typeof milliseconds === 'number' ? milliseconds : milliseconds()
        await sleep(pause * (0.7 + 0.6 * this.random()))
      }
    }
    void loop()
  }

  /** A rule of nftables for packets that arrive, such as `ip daddr 10.77.1.1 drop`. */
  rule(text: string): void {
    const run = (...words: string[]) => execFileSync('nft', words)
    run('add', 'table', 'ip', 'stage')
    run('add', 'chain', 'ip', 'stage', 'in', '{ type filter hook input priority 0; }')
    run('add', 'rule', 'ip', 'stage', 'in', ...text.split(' '))
  }
}
