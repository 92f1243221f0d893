import { processName } from './process-details.ts'
import { namespaceOf } from './socket-scan.ts'

const MOST = 65_536

/** The processes that are there, by their pids, and the names they have. */
export class KnownProcesses {
  readonly #names = new Map<number, string>()
  readonly #networks = new Map<number, number>()

  /** Takes who is there now. What it gives is who came and who went since the last time. */
  learn(pids: readonly number[]): { started: number[]; ended: { pid: number; comm: string }[] } {
    const there = new Set(pids)
    const started = pids.filter((pid) => !this.#names.has(pid))
    const ended = [...this.#names].filter(([pid]) => !there.has(pid)).map(([pid, comm]) => ({ pid, comm }))
    for (const { pid } of ended) this.ended(pid)
    for (const pid of started) this.started(pid, processName(pid) ?? '')
    return { started, ended }
  }

  started(pid: number, comm: string): void {
    this.#networks.delete(pid)
    if (this.#names.size < MOST || this.#names.has(pid)) this.#names.set(pid, comm)
  }

  /** The name of one that ended; undefined where it only began as a copy of another. */
  ended(pid: number): string | undefined {
    const name = this.#names.get(pid)
    this.#names.delete(pid)
    this.#networks.delete(pid)
    return name
  }

  /** The network namespace it is in; undefined where that cannot be known any more. */
  network(pid: number): number | undefined {
    const known = this.#networks.get(pid)
    if (known !== undefined) return known
    const network = namespaceOf(pid)
    if (network !== undefined && this.#networks.size < MOST) this.#networks.set(pid, network)
    return network
  }

  name(pid: number): string | undefined {
    const known = this.#names.get(pid)
    if (known !== undefined) return known
    return processName(pid)
  }
}
