import { EventEmitter } from 'node:events'
import { Problem, type shapes } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'
import { parseDuration } from '@tapdeck/units'
import type { z } from 'zod'
import type { Worker } from '../cluster/worker.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Log } from '../log.ts'
import { InTurn } from '../state/in-turn.ts'
import type { ChangeLog } from './change-log.ts'
import { type Activity, Switch, type SwitchChange, type SwitchCommand, type SwitchEvent } from './switch.ts'

type DissectionConfig = Config['tap']['capture']['dissection']

const APPLY_WITHIN = 5_000
/** `setTimeout` cannot wait longer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Drives the switch: gives it events, keeps its timer, and sends its state to workers and listeners. */
export class Switchboard extends EventEmitter<{ change: []; refresh: []; applied: [] }> {
  readonly #workers: Workers
  readonly #log: Log
  readonly #now: () => number
  readonly #switch: Switch
  readonly #changeLog: ChangeLog | undefined
  readonly #started: SwitchChange
  /** The pause by a user that the start of this process ended. */
  readonly #endedPause: SwitchChange | undefined
  readonly #turns = new InTurn()
  #config: DissectionConfig
  #timer: NodeJS.Timeout | undefined

  /**
   * `now` must never jump: it is what the inactivity period is measured by. Without a change log, changes are kept in
   * memory alone. `continues`: this hub has taken over, and the switch stays as it was at the other one.
   */
  constructor(
    config: DissectionConfig,
    workers: Workers,
    log: Log,
    now: () => number,
    changeLog?: ChangeLog,
    continues = false,
  ) {
    super()
    this.setMaxListeners(0)
    this.#config = config
    this.#workers = workers
    this.#log = log
    this.#now = now
    const continued = continues ? changeLog?.pressed : undefined
    this.#switch = new Switch(settings(config), now, continued)
    this.#changeLog = changeLog
    this.#started = this.#switch.state.change
    if (this.enabled && continued === undefined) this.#endedPause = changeLog?.userPause
    if (this.#endedPause) {
      const { by, at } = this.#endedPause
      log.warn(
        { by, at: instant(at) },
        'indexing is on again: a restart ends a pause; set tap.capture.dissection.enabled=false to start paused',
      )
    }
    if (continued === undefined) changeLog?.add(this.#started)
    else
      log.info(
        { enabled: this.enabled, by: continued.by },
        'traffic indexing stays as it was at the other hub',
      )
    this.#wake(this.#switch.state.pausesAt)
    workers.on('join', (worker) => void this.#apply(worker))
    workers.on('report', (worker) => this.#repair(worker))
  }

  get enabled(): boolean {
    return this.#switch.enabled
  }

  /** Since when it is as it is, and when it will pause if nothing happens; for answers to live queries. */
  get indexing(): z.input<typeof shapes.indexing> {
    const { change, pausesAt } = this.#switch.state
    return { enabled: change.enabled, since: instant(change.at), pauses_at: instantOrNull(pausesAt) }
  }

  get state(): z.input<typeof shapes.switchState> {
    const { change, activity, idleSince, pausesAt } = this.#switch.state
    return {
      enabled: change.enabled,
      since: instant(change.at),
      by: change.by,
      reason: change.reason,
      stop_after: this.#config.stopAfter,
      idle_since: instantOrNull(idleSince),
      pauses_at: instantOrNull(pausesAt),
      ...(this.#endedPause && change === this.#started && { ended_pause: shownPause(this.#endedPause) }),
      activity,
    }
  }

  get changes(): z.input<typeof shapes.switchChange>[] {
    const changes = this.#changeLog?.changes ?? this.#switch.changes
    return changes.map((change) => ({ ...change, at: instant(change.at) }))
  }

  /**
   * Turns indexing on or off everywhere. True once every connected worker has accepted it; one at a limit of its own begins
   * later. Throws, and changes nothing, where the change cannot be stored.
   */
  async turn(enabled: boolean, by: string, door: string): Promise<boolean> {
    await this.#turns.run(async () => {
      if (enabled === this.enabled) return
      const at = this.#now()
      await this.#changeLog?.store({ at, enabled, by, door, reason: 'request' })
      this.#handle({ kind: 'toggle', enabled, by, door, at })
    })
    const applied = await Promise.all(this.#workers.connected.map((worker) => this.#apply(worker)))
    return applied.every(Boolean)
  }

  count(activity: Activity, count: number): void {
    this.#handle({ kind: 'activity', activity, count })
  }

  /** An assistant used the `/mcp` surface; an operator may have it count as activity. */
  assistant(): void {
    if (this.#config.mcpCountsAsActivity) this.#handle({ kind: 'touch' })
  }

  configure(config: DissectionConfig): void {
    this.#config = config
    this.#handle({ kind: 'configure', ...settings(config) })
  }

  close(): void {
    clearTimeout(this.#timer)
    this.removeAllListeners()
  }

  #handle(event: SwitchEvent): void {
    for (const command of this.#switch.handle(event)) this.#obey(command)
  }

  #obey(command: SwitchCommand): void {
    switch (command.kind) {
      case 'apply':
        for (const worker of this.#workers.connected) void this.#apply(worker)
        break
      case 'announce':
        this.#announce(command.change)
        break
      case 'refresh':
        this.emit('refresh')
        break
      case 'wake':
        this.#wake(command.at)
        break
    }
  }

  #announce(change: SwitchChange): void {
    // Those that a caller asked for were stored before.
    if (change.reason !== 'request') this.#changeLog?.add(change)
    this.#log.info(
      { by: change.by, door: change.door, reason: change.reason },
      change.enabled ? 'traffic indexing is on' : 'traffic indexing is paused',
    )
    this.emit('change')
  }

  #wake(at: number | undefined): void {
    clearTimeout(this.#timer)
    if (at === undefined) return
    // Timers of Node fire up to a millisecond early, so one is added.
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, at - this.#now()) + 1)
    this.#timer = setTimeout(() => {
      this.#handle({ kind: 'tick' })
      if (this.#switch.state.pausesAt === at) this.#wake(at)
    }, wait).unref()
  }

  /**
   * Brings one worker to the desired state. Messages keep their order, so the last one sent wins. A worker that goes
   * away meanwhile is no longer connected and gets the state when it joins again.
   */
  async #apply(worker: Worker): Promise<boolean> {
    const desired = this.enabled
    if (worker.applied === desired && worker.asked === undefined) return true
    if (worker.asked?.enabled === desired) return worker.asked.answer
    const answer = this.#send(worker, desired)
    const asked = { enabled: desired, answer }
    worker.asked = asked
    const applied = await answer
    if (worker.asked === asked) worker.asked = undefined
    return applied
  }

  async #send(worker: Worker, enabled: boolean): Promise<boolean> {
    try {
      const answer = await worker.ask('indexing', { enabled }, { patience: APPLY_WITHIN })
      worker.applied = answer.enabled
      this.emit('applied')
      return answer.enabled === enabled
    } catch (error) {
      worker.applied = undefined
      if (worker.gone) return true
      const detail = error instanceof Problem ? error.message : String(error)
      this.#log.warn({ node: worker.node, detail }, 'a worker did not apply the indexing switch')
      return false
    }
  }

  /** A worker that reports another state than the desired one gets it again. */
  #repair(worker: Worker): void {
    if (worker.asked !== undefined || worker.report.indexing === this.enabled) return
    // It resumes by itself.
    if (this.enabled && worker.report.indexer?.paused) return
    if (worker.applied === this.enabled) {
      // The report may have been under way when the worker answered; the next one decides.
      worker.applied = undefined
      return
    }
    void this.#apply(worker)
  }
}

function settings(config: DissectionConfig) {
  return { enabled: config.enabled, stopAfter: parseDuration(config.stopAfter) ?? 0 }
}

function shownPause({ at, by }: SwitchChange) {
  return { at: instant(at), by }
}

function instant(time: number): string {
  return new Date(time).toISOString()
}

function instantOrNull(time: number | undefined): string | null {
  return time === undefined ? null : instant(time)
}
