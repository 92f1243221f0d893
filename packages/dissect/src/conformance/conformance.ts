import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { trials } from '@tapdeck/wire/testing'
import type { Dissector } from '../contract/dissector.ts'
import { protocols as allProtocols } from '../protocols/index.ts'
import { survivesDamage } from './check-damage.ts'
import { inOutline, type Likeness, losesOnlyNeighbours, wholly } from './check-gaps.ts'
import { reportsWhatCanBeMasked } from './check-redaction.ts'
import { heedsOnlyItsBytes } from './check-surroundings.ts'
import { captureFixtures, type Fixture } from './fixture.ts'
import { type Observation, type Observe, observe } from './observation.ts'
import { byteByByte, randomly, seeded } from './replay.ts'

/** One requirement for all protocols. `run` throws if it is not met. */
export interface Check {
  readonly name: string
  run(): void
}

export interface ConformanceOptions {
  /** The protocol's captures, each with a golden JSON file. */
  readonly captures: URL
  /** Additional traffic built by the test. */
  readonly fixtures?: readonly Fixture[]
  /** Calls that one lost packet may damage on a connection with many calls. */
  readonly gapCost?: number
  /** Own fields that a connection states only once, at its beginning: a gap there removes them from all calls. */
  readonly once?: readonly string[]
  /**
   * Later packets may refer to any earlier one (HPACK, a deflated stream): after a gap, only times and endpoints of
   * calls must be the same.
   */
  readonly outline?: boolean
  /** Fields that need more than traffic, such as keys: a test of the protocol checks their values. */
  readonly checkedElsewhere?: readonly string[]
  /** Number of packets at the beginning that are never dropped, because they select the protocol (an upgrade). */
  readonly vital?: number
  /** Default: all built-in protocols. */
  readonly protocols?: readonly Dissector[]
}

/**
 * The suite that every protocol must pass. A protocol only adds traffic. `UPDATE_GOLDEN=1` rewrites the golden files;
 * review them afterwards. `npm test` tries a sample of the cuts, losses and mutations; `TAPDECK_EXHAUSTIVE=1`, as in CI,
 * tries all of them.
 */
export function conformance(dissector: Dissector, options: ConformanceOptions): readonly Check[] {
  const fixtures = [...captureFixtures(options.captures), ...(options.fixtures ?? [])]
  assert.ok(fixtures.length > 0, `${dissector.name} has no traffic to be tried on`)
  const { protocols, gapCost = 3, once = [], outline = false, vital = 0, checkedElsewhere = [] } = options
  const likeness = outline ? inOutline : wholly(once)
  const look: Observe =
    protocols === undefined ? observe : (events, more) => observe(events, { protocols, ...more })
  return [
    ...fixtures.flatMap((fixture) => checksOf(fixture, look, gapCost, likeness, vital)),
    { name: 'detects its own traffic', run: () => recognisesItsOwn(dissector, fixtures, look) },
    {
      name: 'has a value for every field',
      run: () => fillsEveryField(dissector, fixtures, look, checkedElsewhere),
    },
    {
      name: 'reports what redaction can mask',
      run: () => reportsWhatCanBeMasked(dissector, fixtures, look),
    },
    { name: 'claims no traffic of other protocols', run: () => claimsNothingElse(dissector) },
  ]
}

function checksOf(
  { name, golden, events }: Fixture,
  look: Observe,
  gapCost: number,
  likeness: Likeness,
  vital: number,
): Check[] {
  return [
    {
      name: `${name}: gives the calls of its golden file`,
      run: () => matchesGolden(golden, look(events)),
    },
    {
      name: `${name}: gives the same calls byte by byte`,
      run: () => same(look(events), look(events, { cuts: byteByByte })),
    },
    {
      name: `${name}: gives the same calls at random cuts`,
      run: () => {
        const before = look(events)
        for (let seed = 1; seed <= trials(8, 2); seed++)
          same(before, look(events, { cuts: randomly(seeded(seed)) }))
      },
    },
    {
      name: `${name}: loses only neighbours in a gap`,
      run: () => losesOnlyNeighbours(events, look, gapCost, likeness, vital),
    },
    { name: `${name}: continues after cuts, damage and noise`, run: () => survivesDamage(events, look) },
    { name: `${name}: depends on nothing but its own bytes`, run: () => heedsOnlyItsBytes(events, look) },
  ]
}

/** The content of a golden file. */
function goldenOf({ protocols: recognised, calls, loss }: Observation): unknown {
  return JSON.parse(JSON.stringify({ protocols: recognised, loss, calls }))
}

function matchesGolden(golden: URL, observation: Observation): void {
  assert.deepEqual(observation.faults, [])
  const actual = goldenOf(observation)
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(golden, `${JSON.stringify(actual, null, 2)}\n`)
  assert.deepEqual(actual, JSON.parse(readFileSync(golden, 'utf8')))
}

function same(before: Observation, after: Observation): void {
  assert.deepEqual(after.faults, [])
  assert.equal(JSON.stringify(after.calls, null, 1), JSON.stringify(before.calls, null, 1))
}

function recognisesItsOwn(dissector: Dissector, fixtures: readonly Fixture[], look: Observe): void {
  for (const { name, events } of fixtures)
    assert.ok(
      look(events).protocols.includes(dissector.name),
      `${dissector.name} was not recognised in ${name}`,
    )
}

/** Every documented field occurs in some fixture. */
function fillsEveryField(
  dissector: Dissector,
  fixtures: readonly Fixture[],
  look: Observe,
  except: readonly string[],
): void {
  const calls = fixtures.flatMap(({ events }) => look(events).calls)
  for (const [field, { path }] of Object.entries(dissector.fields))
    assert.ok(
      except.includes(field) || calls.some((call) => valueAt(call, path) !== undefined),
      `${field}: no call has a value at ${path}`,
    )
}

function valueAt(call: unknown, path: string): unknown {
  let value = call
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined
    value = Reflect.get(value, step)
  }
  return value
}

const recognisedByGolden = new Map<string, readonly unknown[]>()

/** The protocols of a golden file. Each file is read once, as every protocol is checked against all of them. */
function recognisedIn(golden: URL): readonly unknown[] | undefined {
  if (!existsSync(golden)) return undefined
  let recognised = recognisedByGolden.get(golden.href)
  if (recognised === undefined) {
    const value = valueAt(JSON.parse(readFileSync(golden, 'utf8')), 'protocols')
    recognised = Array.isArray(value) ? value : []
    recognisedByGolden.set(golden.href, recognised)
  }
  return recognised
}

/** Probed before the right protocol, it must not claim that traffic, unless the golden file names it. */
function claimsNothingElse(dissector: Dissector): void {
  for (const other of Object.values(allProtocols)) {
    if (other.name === dissector.name) continue
    const folder = new URL(`../protocols/${other.name}/captures/`, import.meta.url)
    for (const { name, golden, events } of captureFixtures(folder)) {
      const recognised = recognisedIn(golden)
      if (recognised === undefined || recognised.includes(dissector.name)) continue
      const { protocols: claimed } = observe(events, { protocols: [dissector, other] })
      assert.ok(!claimed.includes(dissector.name), `${dissector.name} claims ${other.name}/${name}`)
    }
  }
}
