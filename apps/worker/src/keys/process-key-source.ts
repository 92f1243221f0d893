import { parseKeyLogLine } from '@tapdeck/tls'
import { loadSystemCalls, type SystemCalls } from '../capture/system-calls.ts'
import { KernelWatch } from '../os/kernel-watch.ts'
import { processName } from '../os/process-details.ts'
import { pids } from '../os/socket-scan.ts'
import { HitBudget } from './hit-budget.ts'
import { type CapturedSecret, type KeySource, type KeySourceStatus, NO_ACTIVITY } from './key-source.ts'
import { noProbesReason } from './no-probes-reason.ts'
import { ProbeKernel } from './probe-kernel.ts'
import type { ProbeRecord } from './probe-plan.ts'
import { ProbedFiles } from './probed-files.ts'
import { type IsTargeted, TargetedProcesses } from './targeted-processes.ts'

const TICK_MS = 20
const SWEEP_MS = 1000
/** How often the processes are compared with /proc, in case an event was lost. */
const RECONCILE_MS = 10_000
/** Lines that are remembered, because both ends of a connection on this node have the same secrets. */
const MAX_RECENT = 8192

export interface ProcessKeySourceOptions {
  readonly isTargeted: IsTargeted
  /** Hits of one process per second above which the probes of its library are removed for a while. */
  readonly maxHitsPerSecond: number
}

/** Takes secrets from running processes: probes report them when the TLS library has just computed them. */
export class ProcessKeySource implements KeySource {
  readonly #processes: TargetedProcesses
  readonly #budget: HitBudget
  readonly #recent = new Set<string>()
  readonly #maxHits: number
  #kernel: ProbeKernel | undefined
  #watch: KernelWatch | undefined
  #files: ProbedFiles | undefined
  #timer: NodeJS.Timeout | undefined
  #onSecret: ((secret: CapturedSecret) => void) | undefined
  #reason: string | undefined
  #overBudgetReason: string | undefined
  #counts = { secrets: 0, hits: 0, missed: 0, overBudget: 0 }
  #sweepAt = 0
  #reconcileAt = 0
  #readUntil = 0

  constructor({ isTargeted, maxHitsPerSecond }: ProcessKeySourceOptions) {
    this.#processes = new TargetedProcesses(isTargeted)
    this.#budget = new HitBudget(maxHitsPerSecond)
    this.#maxHits = maxHitsPerSecond
  }

  start(onSecret: (secret: CapturedSecret) => void): void {
    this.#onSecret = onSecret
    void loadSystemCalls().then(
      (system) => this.#open(system),
      (error: unknown) => {
        this.#reason = noProbesReason(error)
      },
    )
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#onSecret = undefined
    this.#files?.close()
    this.#watch?.close()
    this.#kernel?.close()
    this.#files = undefined
    this.#watch = undefined
    this.#kernel = undefined
  }

  status(): KeySourceStatus {
    const reason = this.#reason ?? this.#overBudgetReason ?? this.#files?.reason
    return {
      ...NO_ACTIVITY,
      ...(reason !== undefined && { reason }),
      ...this.#counts,
      missed: this.#counts.missed + (this.#kernel?.lost ?? 0),
      probes: this.#files?.probes ?? 0,
      learningFailures: this.#files?.learningFailures ?? 0,
    }
  }

  get readUntil(): number {
    // Without probes there is nothing to wait for.
    return this.#kernel === undefined ? Date.now() : this.#readUntil
  }

  #open(system: SystemCalls): void {
    if (this.#onSecret === undefined) return
    try {
      this.#kernel = ProbeKernel.open(system)
      this.#watch = KernelWatch.open(system, { withSockets: false })
      this.#files = new ProbedFiles(this.#kernel)
    } catch (error) {
      this.#reason = noProbesReason(error)
      this.#kernel?.close()
      this.#kernel = undefined
      return
    }
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
    this.#tick()
  }

  #tick(): void {
    const now = Date.now()
    const ended: number[] = []
    this.#watch?.read(({ what, pid, comm }) => {
      if (what === 'exec') {
        this.#files?.ended(pid, now)
        this.#processes.started({ pid, comm }, now)
      } else if (what === 'exit') ended.push(pid)
    })
    if (now >= this.#reconcileAt) this.#reconcile(now)
    this.#kernel?.read((record) => this.#take(record, now))
    this.#readUntil = now
    // Only now: the secrets of a process that has ended are decided by what was known about it.
    for (const pid of ended) this.#ended(pid, now)
    this.#processes.look(now, (file) => this.#files?.use(file, now))
    if (now < this.#sweepAt) return
    this.#sweepAt = now + SWEEP_MS
    this.#files?.sweep(now)
  }

  #reconcile(now: number): void {
    this.#reconcileAt = now + RECONCILE_MS
    for (const pid of this.#processes.reconcile(pids(), now)) this.#files?.ended(pid, now)
  }

  #ended(pid: number, now: number): void {
    this.#processes.ended(pid)
    this.#files?.ended(pid, now)
  }

  #take(record: ProbeRecord, now: number): void {
    this.#counts.hits++
    const file = this.#files?.byNumber(record.file)
    if (file === undefined) return
    if (!this.#budget.take(record.pid, now)) {
      this.#counts.overBudget++
      this.#overBudgetReason = `Process ${record.pid} (${record.comm}) had more than ${this.#maxHits} hits per second. The probes of ${file.path} were removed for a minute.`
      this.#files?.suspend(record.file, now)
    }
    const { pid, cgroup } = record
    const comm = processName(pid) ?? record.comm
    if (!this.#processes.decide({ pid, comm, cgroup })) return
    this.#files?.usedBy(record.file, pid)
    const secrets = this.#files?.secretsOf(record, now)
    if (secrets === undefined) this.#counts.missed++
    for (const { label, random, secret } of secrets ?? []) {
      const line = `${label} ${random.toString('hex')} ${Buffer.from(secret).toString('hex')}`
      // Other labels open no records.
      if (parseKeyLogLine(line) === undefined || !this.#isNew(line)) continue
      this.#counts.secrets++
      this.#onSecret?.({ line, at: record.at, source: file.source, pid, comm })
    }
  }

  #isNew(line: string): boolean {
    if (this.#recent.has(line)) return false
    this.#recent.add(line)
    if (this.#recent.size > MAX_RECENT) {
      const [oldest] = this.#recent
      if (oldest !== undefined) this.#recent.delete(oldest)
    }
    return true
  }
}
