import type { AgentAction, shapes } from '@tapdeck/api'
import type { z } from 'zod'
import { withoutDecrypted } from '../access/visibility.ts'
import type { Slots } from '../cluster/slots.ts'
import type { Batch, LiveSubscriptions } from '../live/live-subscriptions.ts'
import type { Log } from '../log.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { Action } from './action.ts'
import { AgentHistory } from './agent-history.ts'
import type { AgentMetric } from './agent-metric.ts'
import type { AgentRecord } from './agent-record.ts'
import { LogAction } from './log-action.ts'
import { MetricAction } from './metric-action.ts'
import type { OwnConnections } from './own-connections.ts'
import { RecordingAction } from './recording-action.ts'
import { ScriptAction } from './script-action.ts'
import type { Emitted } from './script-message.ts'
import { WebhookAction } from './webhook-action.ts'

export interface AgentOptions {
  readonly subscriptions: LiveSubscriptions
  readonly recordings: Recordings
  readonly own: OwnConnections
  readonly log: Log
  readonly now: () => number
  /** The bundle that the thread of a script runs. */
  readonly scriptThread: URL
  /** Of all agents together. */
  readonly threads: Slots
  /** Its status changed. */
  readonly changed: () => void
  /** Its script failed for good. */
  readonly failed: (name: string, reason: string) => void
  /** Milliseconds before a failed script is started again; it doubles from then on. */
  readonly restartAfter?: number
}

const MAX_RESTARTS = 3
const RESTART_AFTER_MS = 1000
/** Failures that lie further back are forgotten. */
const FORGET_AFTER_MS = 600_000
const MAX_SCRIPT_METRICS = 50
const METRIC = /^[a-z][a-z0-9_]{0,62}$/

/** One saved watcher at work: calls come in by its filter and go to its actions, none of which it waits for. */
export class Agent {
  readonly #options: AgentOptions
  readonly #reader = (batch: Batch) => this.#take(batch)
  readonly #lines: LogAction
  readonly #restarts: number[] = []
  /** What the script counted, by name. */
  readonly scriptMetrics = new Map<string, number>()
  readonly history: AgentHistory
  #record: AgentRecord
  #actions: Action[] = []
  #isActive = false
  #reason: string | undefined
  #matched = 0
  #lost = 0
  #refused = 0
  #lastMatch: number | undefined
  #timer: NodeJS.Timeout | undefined

  /** `history`: of the agent that it replaces. */
  constructor(record: AgentRecord, options: AgentOptions, history = new AgentHistory()) {
    this.history = history
    this.#record = record
    this.#options = options
    this.#lines = new LogAction(record.name, 'info', options.log)
  }

  get record(): AgentRecord {
    return this.#record
  }

  /** Whether it counts as activity. */
  get isActive(): boolean {
    return this.#isActive
  }

  get counts() {
    return {
      matched: this.#matched,
      lost: this.#lost,
      refused: this.#refused,
      restarts: this.#restarts.length,
    }
  }

  get metrics(): AgentMetric[] {
    return this.#actions.flatMap((action) => (action instanceof MetricAction ? [action.metric] : []))
  }

  /** Everything but secrets. */
  get shown(): z.input<typeof shapes.agent> {
    const { name, kfl, enabled, created_at, created_by, edited_at, edited_by, actions } = this.#record
    return {
      name,
      status: this.#isActive ? 'active' : this.#reason === undefined ? 'disabled' : 'failed',
      ...(this.#reason !== undefined && { reason: this.#reason }),
      kfl,
      created_at,
      created_by,
      ...(edited_at !== undefined && { edited_at }),
      ...(edited_by !== undefined && { edited_by }),
      enabled,
      matched: this.#matched,
      lost: this.#lost,
      last_match_at: this.#lastMatch === undefined ? null : new Date(this.#lastMatch).toISOString(),
      restarts: this.#restarts.length,
      actions: actions.map((action, at) => ({
        ...withoutSecrets(action),
        ...(this.#actions[at]?.state ?? { done: 0, failed: 0, dropped: 0, waiting: 0 }),
      })),
    }
  }

  /** Metrics, logs and webhooks have readers of their own, so agents get no decrypted calls. */
  get #filter(): string {
    return withoutDecrypted(this.#record.kfl)
  }

  start(): void {
    this.stop()
    this.#record = { ...this.#record, enabled: true }
    this.#reason = undefined
    this.#restarts.length = 0
    this.#actions = this.#record.actions.map((action) => this.#make(action))
    this.history.follow(() => this.#totals())
    this.history.note('started', this.#options.now())
    this.#isActive = true
    this.#options.subscriptions.read(this.#filter, this.#reader)
  }

  disable(): void {
    if (this.#isActive) this.history.note('stopped', this.#options.now())
    this.stop()
    this.#reason = undefined
    this.#record = { ...this.#record, enabled: false }
  }

  /** Its script is not started. */
  fail(reason: string): void {
    this.stop()
    this.#reason = reason
    this.history.note('failed', this.#options.now(), reason)
  }

  stop(): void {
    clearTimeout(this.#timer)
    if (this.#isActive) this.#options.subscriptions.leave(this.#filter, this.#reader)
    this.#isActive = false
    for (const action of this.#actions) action.close()
  }

  #take({ calls: all, skipped }: Batch): void {
    const { own } = this.#options
    const calls = all.filter(({ src }) => !own.has(src))
    this.#lost += skipped
    if (calls.length === 0 && skipped === 0) return
    this.#matched += calls.length
    this.#lastMatch = this.#options.now()
    this.history.match(calls.length, skipped, this.#lastMatch)
    for (const action of this.#actions) action.take(calls, skipped)
  }

  #totals() {
    const states = this.#actions.map(({ state }) => state)
    return {
      done: states.reduce((sum, { done }) => sum + done, 0),
      failed: states.reduce((sum, { failed }) => sum + failed, 0),
    }
  }

  #make(action: AgentAction): Action {
    const { log, now, own, recordings, scriptThread, threads } = this.#options
    const { name } = this.#record
    switch (action.kind) {
      case 'webhook':
        return new WebhookAction({ agent: name, url: action.url, secret: action.secret, own, now })
      case 'metric':
        return new MetricAction(action)
      case 'log':
        return new LogAction(name, action.level, log)
      case 'recording':
        return new RecordingAction(name, action, recordings)
      case 'script':
        return new ScriptAction({
          source: action.source,
          thread: scriptThread,
          threads,
          emitted: (emitted) => this.#emitted(emitted),
          failed: (reason, endedThread) => this.#failed(action, reason, endedThread),
        })
    }
  }

  #emitted(emitted: Emitted): void {
    if ('log' in emitted) this.#lines.write({ said: emitted.log })
    else if ('metric' in emitted) this.#count(emitted.metric, emitted.value)
    else {
      const webhook = this.#actions.find((action) => action instanceof WebhookAction)
      if (!webhook?.send(emitted.webhook)) this.#refused++
    }
  }

  #count(metric: string, value: number): void {
    const before = this.scriptMetrics.get(metric)
    if (before === undefined && (this.scriptMetrics.size >= MAX_SCRIPT_METRICS || !METRIC.test(metric)))
      this.#refused++
    else this.scriptMetrics.set(metric, (before ?? 0) + value)
  }

  /**
   * A script that fails is started again a few times, unless it ended its thread. Then the agent has failed and stays so
   * until it is enabled.
   */
  #failed(action: AgentAction, reason: string, endedThread: boolean): void {
    const { log, changed, failed, restartAfter = RESTART_AFTER_MS } = this.#options
    const now = this.#options.now()
    while (this.#restarts.length > 0 && now - this.#restarts[0]! > FORGET_AFTER_MS) this.#restarts.shift()
    const again = !endedThread && this.#restarts.length < MAX_RESTARTS
    log.warn({ agent: this.#record.name, reason, again }, 'script of a network agent failed')
    if (!again) {
      this.fail(reason)
      failed(this.#record.name, reason)
    } else {
      this.history.note('restarted', now, reason)
      const wait = restartAfter * 2 ** this.#restarts.length
      this.#restarts.push(now)
      this.#timer = setTimeout(() => {
        const at = this.#record.actions.indexOf(action)
        if (this.#isActive) this.#actions[at] = this.#make(action)
      }, wait).unref()
    }
    changed()
  }
}

/** The path of a webhook's address is often a secret itself. */
function withoutSecrets(action: AgentAction): { readonly kind: string; readonly [name: string]: unknown } {
  if (action.kind === 'webhook') {
    const { kind, url, secret } = action
    return { kind, to: new URL(url).origin, signed: secret !== undefined }
  }
  if (action.kind !== 'script') return action
  const { kind, source } = action
  return { kind, source_bytes: Buffer.byteLength(source) }
}
