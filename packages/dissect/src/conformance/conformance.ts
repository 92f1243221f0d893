import assert from 'node:assert/strict'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Dissector } from '../dissector.ts'
import { protocols as house } from '../protocols/index.ts'
import { survivesDamage } from './check-damage.ts'
import { inOutline, type Likeness, losesOnlyNeighbours, wholly } from './check-gaps.ts'
import { heedsOnlyItsBytes } from './check-surroundings.ts'
import { captureFixtures, type Fixture, listCaptures } from './fixture.ts'
import { type Observation, type Observe, observe } from './observation.ts'
import { byteByByte, randomly, seeded } from './replay.ts'

/** One thing that every protocol must do, ready for a test runner: it throws where it is not so. */
export interface Check {
  readonly name: string
  run(): void
}

export interface ConformanceOptions {
  /** The protocol's own captures, each with its golden JSON beside it. */
  readonly captures: URL
  /** Further traffic, built by the test. */
  readonly fixtures?: readonly Fixture[]
  /** Calls that one lost packet may cost, on connections that carry many. */
  readonly gapCost?: number
  /** Fields of the own object that a connection says once, at its beginning, and that a gap there takes from all calls. */
  readonly once?: readonly string[]
  /**
   * What a packet says may be referred to by any number of later ones (HPACK, a deflated stream): after a gap, only when
   * calls were and between whom must be as before.
   */
  readonly outline?: boolean
  /** Packets at the beginning without which all is another protocol's: the upgrade to it. They are not lost. */
  readonly vital?: number
  /** The protocols to run with, all of the house unless given. */
  readonly protocols?: readonly Dissector[]
}

/**
 * The suite that every protocol passes: written once, so that a protocol brings only traffic. Goldens are written
 * anew by running the tests with `UPDATE_GOLDEN=1`; read them before you trust them.
 */
export function conformance(dissector: Dissector, options: ConformanceOptions): readonly Check[] {
  const fixtures = [...captureFixtures(options.captures), ...(options.fixtures ?? [])]
  assert.ok(fixtures.length > 0, `${dissector.name} has no traffic to be tried on`)
  const { protocols, gapCost = 3, once = [], outline = false, vital = 0 } = options
  const likeness = outline ? inOutline : wholly(once)
  const look: Observe =
    protocols === undefined ? observe : (events, more) => observe(events, { protocols, ...more })
  return [
    ...fixtures.flatMap((fixture) => checksOf(fixture, look, gapCost, likeness, vital)),
    { name: 'recognises its own traffic', run: () => recognisesItsOwn(dissector, fixtures, look) },
    { name: 'gives every field a value somewhere', run: () => fillsEveryField(dissector, fixtures, look) },
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
        for (let seed = 1; seed <= 8; seed++) same(before, look(events, { cuts: randomly(seeded(seed)) }))
      },
    },
    {
      name: `${name}: loses only neighbours in a gap`,
      run: () => losesOnlyNeighbours(events, look, gapCost, likeness, vital),
    },
    { name: `${name}: survives cuts, damage and noise`, run: () => survivesDamage(events, look) },
    { name: `${name}: heeds nothing but its own bytes`, run: () => heedsOnlyItsBytes(events, look) },
  ]
}

/** What a golden file holds. */
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

/** A field that never has a value is a promise that nobody keeps. */
function fillsEveryField(dissector: Dissector, fixtures: readonly Fixture[], look: Observe): void {
  const calls = fixtures.flatMap(({ events }) => look(events).calls)
  for (const [field, { path }] of Object.entries(dissector.fields))
    assert.ok(
      calls.some((call) => valueAt(call, path) !== undefined),
      `${field}: nothing stands at ${path} in any call`,
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

/** Asked before the owner of some traffic it must stay silent, unless the golden file says that it has a part in it. */
function claimsNothingElse(dissector: Dissector): void {
  for (const other of Object.values(house)) {
    if (other.name === dissector.name) continue
    const folder = new URL(`../protocols/${other.name}/captures/`, import.meta.url)
    for (const name of listCaptures(folder)) {
      const file = new URL(name.replace(/\.pcap$/, '.golden.json'), folder)
      if (!existsSync(file)) continue
      const golden: unknown = JSON.parse(readFileSync(file, 'utf8'))
      const spoken = valueAt(golden, 'protocols')
      if (Array.isArray(spoken) && spoken.includes(dissector.name)) continue
      const [fixture] = captureFixtures(folder).filter((one) => `${one.name}.pcap` === name)
      const { protocols: claimed } = observe(fixture.events, { protocols: [dissector, other] })
      assert.ok(!claimed.includes(dissector.name), `${dissector.name} claims ${other.name}/${name}`)
    }
  }
}
