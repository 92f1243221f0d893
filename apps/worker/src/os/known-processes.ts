import { processName } from './process-details.ts'
import { namespaceOf } from './socket-scan.ts'

const MAX_PROCESSES = 65_536

/** The running processes with their names, by pid. */
export class KnownProcesses {
  readonly #names = new Map<number, string>()
  readonly #networks = new Map<number, number>()

  /** Takes the pids of now. Returns which processes started and ended since the last call. */
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
    if (this.#names.size < MAX_PROCESSES || this.#names.has(pid)) this.#names.set(pid, comm)
  }

  /** The name of an ended process; undefined if it was only a fork that ran no program. */
  ended(pid: number): string | undefined {
    const name = this.#names.get(pid)
    this.#names.delete(pid)
    this.#networks.delete(pid)
    return name
  }

  /** Its network namespace; undefined if it can no longer be read. */
  network(pid: number): number | undefined {
    const known = this.#networks.get(pid)
    if (known !== undefined) return known
    const network = namespaceOf(pid)
    if (network !== undefined && this.#networks.size < MAX_PROCESSES) this.#networks.set(pid, network)
    return network
  }

  name(pid: number): string | undefined {
    const known = this.#names.get(pid)
    if (known !== undefined) return known
    return processName(pid)
  }
}
