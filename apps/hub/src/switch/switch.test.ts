import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Activity, Switch, type SwitchCommand, type SwitchEvent } from './switch.ts'

const minute = 60_000
const person = { by: 'ada', door: 'api' }

function start(enabled: boolean, stopAfter = 5 * minute) {
  let now = 1_000_000
  const it = new Switch({ enabled, stopAfter }, () => now)
  return {
    it,
    get now() {
      return now
    },
    send: (event: SwitchEvent) => it.handle(event),
    /** Lets time pass as a driver with an exact timer would: it ticks whenever the switch asked for it. */
    wait(ms: number) {
      const until = now + ms
      for (;;) {
        const due = it.state.pausesAt
        if (due === undefined || due > until) break
        now = Math.max(now, due)
        it.handle({ kind: 'tick' })
      }
      now = until
      return it.handle({ kind: 'tick' })
    },
  }
}

const kinds = (commands: SwitchCommand[]) => commands.map((command) => command.kind)

describe('the table of states', () => {
  it('starts active where the configuration says enabled', () => {
    const { it: it_ } = start(true)
    expect(it_.enabled).toBe(true)
    expect(it_.state.change).toMatchObject({ reason: 'start', by: 'configuration' })
  })

  it('starts dormant where the configuration says disabled', () => {
    const { it: it_ } = start(false)
    expect(it_.enabled).toBe(false)
    expect(it_.state.pausesAt).toBeUndefined()
  })

  it('goes from dormant to active when a caller resumes', () => {
    const { it: it_, send } = start(false)
    const commands = send({ kind: 'toggle', enabled: true, ...person })
    expect(commands).toContainEqual({ kind: 'apply', enabled: true })
    expect(it_.state.change).toMatchObject({ enabled: true, by: 'ada', door: 'api', reason: 'request' })
  })

  it('goes from active to dormant when a caller pauses', () => {
    const { it: it_, send } = start(true)
    const commands = send({ kind: 'toggle', enabled: false, ...person })
    expect(commands).toContainEqual({ kind: 'apply', enabled: false })
    expect(it_.enabled).toBe(false)
    expect(commands).toContainEqual({ kind: 'wake', at: undefined })
  })

  it('pauses by itself after the inactivity period, not before', () => {
    const { it: it_, wait } = start(true)
    wait(5 * minute - 1)
    expect(it_.enabled).toBe(true)
    wait(1)
    expect(it_.enabled).toBe(false)
    expect(it_.state.change).toMatchObject({ reason: 'inactivity', door: 'timer' })
  })

  it('never pauses by itself with stopAfter 0', () => {
    const { it: it_, wait } = start(true, 0)
    wait(1000 * 60 * minute)
    expect(it_.enabled).toBe(true)
    expect(it_.state.pausesAt).toBeUndefined()
    expect(it_.state.idleSince).toBeDefined()
  })
})

describe('activity', () => {
  for (const activity of ['dashboards', 'recordings', 'agents'] as const) {
    it(`of ${activity} keeps it on, and the clock starts when the last one ends`, () => {
      const { it: it_, send, wait } = start(true)
      send({ kind: 'activity', activity, count: 2 })
      wait(60 * minute)
      send({ kind: 'activity', activity, count: 1 })
      wait(60 * minute)
      expect(it_.enabled).toBe(true)
      expect(it_.state.idleSince).toBeUndefined()
      send({ kind: 'activity', activity, count: 0 })
      wait(5 * minute - 1)
      expect(it_.enabled).toBe(true)
      wait(1)
      expect(it_.enabled).toBe(false)
    })
  }

  it('of one kind counts while another ends', () => {
    const { it: it_, send, wait } = start(true)
    send({ kind: 'activity', activity: 'dashboards', count: 1 })
    send({ kind: 'activity', activity: 'recordings', count: 1 })
    send({ kind: 'activity', activity: 'dashboards', count: 0 })
    wait(60 * minute)
    expect(it_.enabled).toBe(true)
  })

  it('resets the clock, however short it is', () => {
    const { it: it_, send, wait } = start(true)
    wait(4 * minute)
    send({ kind: 'activity', activity: 'dashboards', count: 1 })
    send({ kind: 'activity', activity: 'dashboards', count: 0 })
    wait(4 * minute)
    expect(it_.enabled).toBe(true)
    wait(1 * minute)
    expect(it_.enabled).toBe(false)
  })

  it('does not wake a dormant switch', () => {
    const { it: it_, send } = start(false)
    send({ kind: 'activity', activity: 'dashboards', count: 1 })
    expect(it_.enabled).toBe(false)
  })

  it('that ended long before the enabling does not shorten the period', () => {
    const { it: it_, send, wait } = start(false)
    wait(60 * minute)
    send({ kind: 'toggle', enabled: true, ...person })
    wait(5 * minute - 1)
    expect(it_.enabled).toBe(true)
  })

  it('for a moment moves the deadline and leaves the state alone', () => {
    const run = start(true)
    run.wait(2 * minute)
    const commands = run.send({ kind: 'touch' })
    expect(run.it.state.pausesAt).toBe(run.now + 5 * minute)
    expect(commands).toEqual([{ kind: 'wake', at: run.now + 5 * minute }])
  })
})

describe('asking again', () => {
  it('for the state that is there changes nothing', () => {
    const { it: it_, send, wait } = start(true)
    wait(3 * minute)
    const before = it_.state
    expect(send({ kind: 'toggle', enabled: true, ...person })).toEqual([])
    expect(it_.state).toEqual(before)
    expect(it_.changes).toHaveLength(1)
  })
})

describe('a changed configuration', () => {
  it('wakes a dormant switch', () => {
    const { it: it_, send } = start(false)
    const commands = send({ kind: 'configure', enabled: true, stopAfter: 5 * minute })
    expect(commands).toContainEqual({ kind: 'apply', enabled: true })
    expect(it_.state.change).toMatchObject({ reason: 'configuration' })
  })

  it('pauses an active one', () => {
    const { it: it_, send } = start(true)
    send({ kind: 'configure', enabled: false, stopAfter: 5 * minute })
    expect(it_.enabled).toBe(false)
  })

  it('that says what it said before does not undo what a user chose', () => {
    const { it: it_, send } = start(false)
    send({ kind: 'toggle', enabled: true, ...person })
    send({ kind: 'configure', enabled: false, stopAfter: 1 * minute })
    expect(it_.enabled).toBe(true)
    expect(it_.state.stopAfter).toBe(1 * minute)
  })

  it('shortens a running countdown, and pauses at once where it is over', () => {
    const run = start(true)
    run.wait(2 * minute)
    run.send({ kind: 'configure', enabled: true, stopAfter: 3 * minute })
    expect(run.it.state.pausesAt).toBe(run.now + 1 * minute)
    run.send({ kind: 'configure', enabled: true, stopAfter: 1 * minute })
    expect(run.it.enabled).toBe(false)
    expect(run.it.state.change.reason).toBe('inactivity')
  })

  it('to stopAfter 0 stops the countdown', () => {
    const { it: it_, send } = start(true)
    expect(send({ kind: 'configure', enabled: true, stopAfter: 0 })).toContainEqual({
      kind: 'wake',
      at: undefined,
    })
    expect(it_.state.pausesAt).toBeUndefined()
  })
})

describe('the list of changes', () => {
  it('is newest first and bounded', () => {
    const { it: it_, send } = start(false)
    for (let i = 0; i < 1500; i++) send({ kind: 'toggle', enabled: i % 2 === 0, by: `n${i}`, door: 'api' })
    expect(it_.changes).toHaveLength(1000)
    expect(it_.changes[0]!.by).toBe('n1499')
  })
})

/** The rules again, written plainly: what the state must be after any sequence of events. */
class Model {
  enabled: boolean
  idle: number | undefined
  stopAfter: number
  configured: boolean
  readonly counts: Record<Activity, number> = { dashboards: 0, recordings: 0, agents: 0 }
  constructor(enabled: boolean, stopAfter: number, now: number) {
    this.enabled = this.configured = enabled
    this.stopAfter = stopAfter
    this.idle = enabled ? now : undefined
  }
  set(enabled: boolean, now: number) {
    if (enabled === this.enabled) return
    this.enabled = enabled
    this.idle = enabled && this.total() === 0 ? now : undefined
  }
  total() {
    return Object.values(this.counts).reduce((sum, count) => sum + count, 0)
  }
  pass(now: number) {
    if (this.idle !== undefined && this.stopAfter > 0 && now - this.idle >= this.stopAfter)
      this.set(false, now)
  }
}

const anyEvent: fc.Arbitrary<SwitchEvent> = fc.oneof(
  fc.record({
    kind: fc.constant('toggle' as const),
    enabled: fc.boolean(),
    by: fc.constant('x'),
    door: fc.constant('mcp'),
  }),
  fc.record({
    kind: fc.constant('activity' as const),
    activity: fc.constantFrom('dashboards' as const, 'recordings' as const, 'agents' as const),
    count: fc.integer({ min: 0, max: 2 }),
  }),
  fc.record({
    kind: fc.constant('configure' as const),
    enabled: fc.boolean(),
    stopAfter: fc.constantFrom(0, 3, 10),
  }),
  fc.record({ kind: fc.constant('touch' as const) }),
  fc.record({ kind: fc.constant('tick' as const) }),
)

it('follows the rules in every interleaving, and its commands alone give the state', () => {
  fc.assert(
    fc.property(
      fc.boolean(),
      fc.constantFrom(0, 3, 10),
      fc.array(fc.tuple(fc.integer({ min: 0, max: 12 }), anyEvent), { maxLength: 40 }),
      (enabled, stopAfter, steps) => {
        let now = 0
        const machine = new Switch({ enabled, stopAfter }, () => now)
        const model = new Model(enabled, stopAfter, now)
        let applied = enabled
        let wake = machine.state.pausesAt
        for (const [pause, event] of steps) {
          now += pause
          const before = machine.changes.length
          const commands = machine.handle(event)
          model.pass(now)
          if (event.kind === 'toggle') model.set(event.enabled, now)
          if (event.kind === 'activity') {
            model.counts[event.activity] = event.count
            if (model.total() > 0 || !model.enabled) model.idle = undefined
            else model.idle ??= now
          }
          if (event.kind === 'touch' && model.idle !== undefined) model.idle = now
          if (event.kind === 'configure') {
            model.stopAfter = event.stopAfter
            if (event.enabled !== model.configured) model.set(event.enabled, now)
            model.configured = event.enabled
            model.pass(now)
          }
          for (const command of commands) {
            if (command.kind === 'apply') {
              expect(command.enabled).toBe(!applied)
              applied = command.enabled
            }
            if (command.kind === 'wake') wake = command.at
          }
          expect(machine.enabled).toBe(model.enabled)
          expect(applied).toBe(model.enabled)
          expect(machine.state.idleSince).toBe(model.idle)
          expect(wake).toBe(machine.state.pausesAt)
          expect(kinds(commands).filter((kind) => kind === 'announce')).toHaveLength(
            machine.changes.length - before,
          )
          // A busy or never-ending switch never counts down; a counting one is active and idle.
          if (machine.state.pausesAt !== undefined)
            expect(machine.enabled && model.total() === 0 && model.stopAfter > 0).toBe(true)
        }
      },
    ),
    { numRuns: 3000 },
  )
})
