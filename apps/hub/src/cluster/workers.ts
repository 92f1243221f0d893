import { EventEmitter } from 'node:events'
import { Problem, type WorkerMessage } from '@tapdeck/api'
import { nearestNames } from '../nearest-names.ts'
import type { Worker } from './worker.ts'

interface WorkerEvents {
  join: [Worker]
  leave: [Worker]
  report: [Worker]
  calls: [Worker, Extract<WorkerMessage, { kind: 'calls' }>]
}

const KEPT_GONE = 256

/** The workers that are connected, one a node, and the last words of those that left. */
export class Workers extends EventEmitter<WorkerEvents> {
  readonly #connected = new Map<string, Worker>()
  readonly #gone = new Map<string, Worker>()

  constructor() {
    super()
    // Each part of the hub that follows the nodes listens once.
    this.setMaxListeners(20)
  }

  /** In order of their names. */
  get connected(): Worker[] {
    return [...this.#connected.values()].sort((a, b) => (a.node < b.node ? -1 : 1))
  }

  /** The present connections of the nodes of some workers. */
  connectedOf(workers: readonly Worker[]): Worker[] {
    return workers.flatMap(({ node }) => this.#connected.get(node) ?? [])
  }

  get gone(): Worker[] {
    return [...this.#gone.values()]
  }

  /** A node that comes again takes the place of its older connection. */
  join(worker: Worker): void {
    const older = this.#connected.get(worker.node)
    if (older) this.leave(older)
    this.#gone.delete(worker.node)
    this.#connected.set(worker.node, worker)
    this.emit('join', worker)
  }

  leave(worker: Worker): void {
    worker.leave()
    if (this.#connected.get(worker.node) !== worker) return
    this.#connected.delete(worker.node)
    this.#gone.delete(worker.node)
    this.#gone.set(worker.node, worker)
    for (const oldest of this.#gone.keys()) {
      if (this.#gone.size <= KEPT_GONE) break
      this.#gone.delete(oldest)
    }
    this.emit('leave', worker)
  }

  take(worker: Worker, message: WorkerMessage): void {
    switch (message.kind) {
      case 'report':
        worker.report = message.report
        this.emit('report', worker)
        break
      case 'answer':
      case 'failure':
        worker.settle(message)
        break
      case 'calls':
        this.emit('calls', worker, message)
        break
      case 'hello':
        break
    }
  }

  /** Those of the given names, or all. Throws 503 if no worker is connected and 404 for an unknown name. */
  choose(names?: readonly string[]): Worker[] {
    if (this.#connected.size === 0)
      throw new Problem(503, 'no_worker', 'No worker is connected', {
        hint: 'Start one with `tapdeck worker`, or check /readyz and the worker logs.',
      })
    if (names === undefined || names.length === 0) return this.connected
    return [...new Set(names)].map((name) => {
      const worker = this.#connected.get(name)
      if (worker) return worker
      const close = nearestNames(name, this.#connected.keys())
      throw new Problem(404, 'unknown_node', `No worker of node "${name}" is connected`, {
        ...(close.length > 0 && { hint: `Connected: ${close.join(', ')}` }),
      })
    })
  }
}
