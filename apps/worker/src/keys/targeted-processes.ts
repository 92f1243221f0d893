import { processName } from '../os/process-details.ts'
import { type MappedFile, mappedFiles } from './mapped-files.ts'

/** Processes that are followed at the same time. */
const MAX_TARGETS = 16_384
const MAX_DECISIONS = 65_536
/** A process may load its library long after its start; it is looked at again, less and less often. */
const FIRST_LOOK_MS = 20
const MAX_PAUSE_MS = 10_000
/** Processes that are found in one go: each reads a file of /proc. */
const MAX_FOUND = 2000
const MAX_RETRIED = 500
/** Looks in one go: each reads a file of /proc. */
const MAX_LOOKS = 50

/** What is known about a process when it is decided whether its keys are taken. It may have ended already. */
export interface ProcessFacts {
  readonly pid: number
  readonly comm: string
  /** Its control group, where the kernel reported it. */
  readonly cgroup?: bigint
}

export type IsTargeted = (process: ProcessFacts) => boolean

interface Target {
  pause: number
  next: number
}

/** The processes whose keys are taken. */
export class TargetedProcesses {
  /** Processes that were not followed for the bound. */
  refused = 0
  readonly #isTargeted: IsTargeted
  readonly #decisions = new Map<number, boolean>()
  readonly #targets = new Map<number, Target>()

  constructor(isTargeted: IsTargeted) {
    this.#isTargeted = isTargeted
  }

  /** A process runs a new program. */
  started(process: ProcessFacts, now: number): void {
    this.ended(process.pid)
    if (!this.decide(process)) return
    if (this.#targets.size >= MAX_TARGETS) this.refused++
    else this.#targets.set(process.pid, { pause: FIRST_LOOK_MS, next: now })
  }

  ended(pid: number): void {
    this.#decisions.delete(pid)
    this.#targets.delete(pid)
  }

  decide(process: ProcessFacts): boolean {
    // This process has keys of its own, for the hub.
    if (process.pid === globalThis.process.pid) return false
    const known = this.#decisions.get(process.pid)
    if (known !== undefined) return known
    const decision = this.#isTargeted(process)
    if (this.#decisions.size < MAX_DECISIONS) this.#decisions.set(process.pid, decision)
    return decision
  }

  /** Compares with the processes that run now, in case an event was lost. Returns those that have ended. */
  reconcile(running: readonly number[], now: number): number[] {
    const there = new Set(running)
    const ended = [...this.#decisions.keys()].filter((pid) => !there.has(pid))
    for (const pid of ended) this.ended(pid)
    // A pod may have been unknown when its process was first seen.
    const refused = [...this.#decisions].filter(([, isTarget]) => !isTarget)
    for (const [pid] of refused.slice(0, MAX_RETRIED)) this.#decisions.delete(pid)
    let found = 0
    for (const pid of running) {
      if (this.#decisions.has(pid) || pid === globalThis.process.pid) continue
      if (++found > MAX_FOUND) break
      const comm = processName(pid)
      // It has just ended. Its last secrets may still be read, and their record has its name.
      if (comm !== undefined) this.started({ pid, comm }, now)
    }
    return ended
  }

  /** Passes on the files of the processes that are due. */
  look(now: number, take: (file: MappedFile) => void): void {
    let looks = 0
    for (const [pid, target] of this.#targets) {
      if (target.next > now) continue
      if (++looks > MAX_LOOKS) return
      target.next = now + target.pause
      target.pause = Math.min(target.pause * 2, MAX_PAUSE_MS)
      for (const file of mappedFiles(pid)) take(file)
    }
  }
}
