/** What keeps indexing on while it holds: the three conditions of activity. */
export type Activity = 'dashboards' | 'recordings' | 'agents'

export interface SwitchSettings {
  readonly enabled: boolean
  /** Milliseconds of inactivity after which indexing pauses; 0: never. */
  readonly stopAfter: number
}

/** Who changed the switch, by which interface, and why. Times are Unix milliseconds. */
export interface SwitchChange {
  readonly at: number
  readonly enabled: boolean
  readonly by: string
  readonly door: string
  readonly reason: 'start' | 'request' | 'inactivity' | 'configuration'
}

export type SwitchEvent =
  | {
      readonly kind: 'toggle'
      readonly enabled: boolean
      readonly by: string
      readonly door: string
      /** When it was asked for; default: now. */
      readonly at?: number
    }
  /** How many of one kind are there now. */
  | { readonly kind: 'activity'; readonly activity: Activity; readonly count: number }
  /** Something that counts as activity for this one moment. */
  | { readonly kind: 'touch' }
  | ({ readonly kind: 'configure' } & SwitchSettings)
  /** Time went by. */
  | { readonly kind: 'tick' }

export type SwitchCommand =
  /** Tell the workers. */
  | { readonly kind: 'apply'; readonly enabled: boolean }
  /** Log it and show it. */
  | { readonly kind: 'announce'; readonly change: SwitchChange }
  /** Something that people see changed, though not the state: activity or the countdown. */
  | { readonly kind: 'refresh' }
  /** Send `tick` at this time; undefined: no tick is needed. */
  | { readonly kind: 'wake'; readonly at: number | undefined }

export interface SwitchState {
  readonly change: SwitchChange
  readonly stopAfter: number
  readonly activity: Readonly<Record<Activity, number>>
  /** Since when no condition of activity holds; undefined while one does and while dormant. */
  readonly idleSince: number | undefined
  /** When inactivity will pause indexing if nothing happens. */
  readonly pausesAt: number | undefined
}

const KEPT_CHANGES = 1000

/**
 * The Traffic Indexing switch: active or dormant. No I/O and no timers: events go in, commands come out, and the clock
 * is given. The inactivity clock runs only while active with no condition of activity. It starts when the last
 * condition ends, or at the enabling if none holds; any condition stops and resets it. Asking for the state that
 * is already there changes nothing, the inactivity clock included.
 */
export class Switch {
  readonly #now: () => number
  readonly #activity: Record<Activity, number> = { dashboards: 0, recordings: 0, agents: 0 }
  readonly #changes: SwitchChange[] = []
  #settings: SwitchSettings
  #idleSince: number | undefined
  #wake: number | undefined

  /** `continued`: the last change at the hub that this one replaces. Its inactivity clock begins anew. */
  constructor(settings: SwitchSettings, now: () => number, continued?: SwitchChange) {
    this.#now = now
    this.#settings = settings
    const at = now()
    const { enabled } = settings
    this.#changes.push(continued ?? { at, enabled, by: 'configuration', door: 'start', reason: 'start' })
    this.#idleSince = this.enabled ? at : undefined
    this.#wake = this.#deadline
  }

  get enabled(): boolean {
    return this.#changes[0]!.enabled
  }

  get state(): SwitchState {
    return {
      change: this.#changes[0]!,
      stopAfter: this.#settings.stopAfter,
      activity: { ...this.#activity },
      idleSince: this.#idleSince,
      pausesAt: this.#deadline,
    }
  }

  /** Newest first. The oldest are forgotten beyond a thousand. */
  get changes(): readonly SwitchChange[] {
    return this.#changes
  }

  handle(event: SwitchEvent): SwitchCommand[] {
    const now = this.#now()
    const commands: SwitchCommand[] = []
    // A pause that is due comes before whatever arrived late.
    this.#expire(now, commands)
    switch (event.kind) {
      case 'toggle':
        this.#turn({ at: event.at ?? now, reason: 'request', ...pick(event) }, commands)
        break
      case 'activity':
        if (this.#activity[event.activity] !== event.count) {
          this.#activity[event.activity] = event.count
          this.#settle(now)
          commands.push({ kind: 'refresh' })
        }
        break
      case 'touch':
        if (this.#idleSince !== undefined) this.#idleSince = now
        break
      case 'configure':
        this.#configure(event, now, commands)
        break
      case 'tick':
        break
    }
    if (this.#deadline !== this.#wake) {
      this.#wake = this.#deadline
      commands.push({ kind: 'wake', at: this.#wake })
    }
    return commands
  }

  get #deadline(): number | undefined {
    const { stopAfter } = this.#settings
    return this.#idleSince === undefined || stopAfter === 0 ? undefined : this.#idleSince + stopAfter
  }

  get #busy(): boolean {
    return this.#activity.dashboards + this.#activity.recordings + this.#activity.agents > 0
  }

  /** Only a changed value is an order: a file saved again does not undo what a user chose since. */
  #configure(settings: SwitchSettings, now: number, commands: SwitchCommand[]): void {
    const before = this.#settings
    this.#settings = { enabled: settings.enabled, stopAfter: settings.stopAfter }
    if (before.stopAfter !== settings.stopAfter) commands.push({ kind: 'refresh' })
    if (before.enabled !== settings.enabled)
      this.#turn(
        {
          at: now,
          enabled: settings.enabled,
          by: 'configuration',
          door: 'configuration',
          reason: 'configuration',
        },
        commands,
      )
    this.#expire(now, commands)
  }

  #expire(now: number, commands: SwitchCommand[]): void {
    if (this.#deadline === undefined || now < this.#deadline) return
    this.#turn({ at: now, enabled: false, by: 'tapdeck', door: 'timer', reason: 'inactivity' }, commands)
  }

  #turn(change: SwitchChange, commands: SwitchCommand[]): void {
    if (change.enabled === this.enabled) return
    this.#changes.unshift(change)
    if (this.#changes.length > KEPT_CHANGES) this.#changes.pop()
    this.#idleSince = undefined
    this.#settle(change.at)
    commands.push({ kind: 'apply', enabled: change.enabled }, { kind: 'announce', change })
  }

  #settle(now: number): void {
    if (!this.enabled || this.#busy) this.#idleSince = undefined
    else this.#idleSince ??= now
  }
}

function pick({ enabled, by, door }: { enabled: boolean; by: string; door: string }) {
  return { enabled, by, door }
}
