import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IndexWorker } from '../testing/index-worker.ts'
import { healthyCaptures } from '../testing/planted/healthy.ts'
import { incidents, type Truth } from '../testing/planted/incidents.ts'
import { MadeTraffic } from '../testing/planted/made-traffic.ts'
import { LENGTH } from '../testing/planted/shop.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)
const HOUR = 3_600_000
/** TAPDECK_TEST_VERBOSE=1 prints the suspects of each capture. */
const isVerbose = process.env.TAPDECK_TEST_VERBOSE !== undefined

interface Shown {
  rank: number
  kind: string
  severity: string
  score: number
  what: string
  before?: string
  after: string
  client?: { name: string }
  server?: { name: string }
  explained_by?: number
  background?: boolean
  impact?: { text: string; share: number }
}

let hub: TestHub
let worker: IndexWorker
const played = [...incidents, ...healthyCaptures].map(({ name, play }, at) => ({
  name,
  play,
  made: new MadeTraffic(DAWN + at * HOUR, at + 1),
}))

beforeAll(async () => {
  worker = await IndexWorker.open('node-a')
  for (const { play, made } of played) {
    play(made)
    await worker.addNamed(made.calls())
  }
  hub = await startHub()
  await hub.worker('node-a', worker.answers)
}, 300_000)
afterAll(async () => {
  await hub?.stop()
  await worker?.close()
})

/** Those that a reader sees as a card: not consequences of another, not what was always there. */
async function cardsOf(name: string): Promise<{ cards: Shown[]; summary: string; baseline: string }> {
  const found = played.find((one) => one.name === name)
  const start = found?.made.start ?? 0
  const { json } = await hub.get(`/api/suspects?start=${start}&end=${start + LENGTH + 5000}&limit=50`)
  const all = json.suspects as Shown[]
  const cards = all.filter(
    ({ severity, explained_by, background }) =>
      severity !== 'note' && explained_by === undefined && !background,
  )
  if (isVerbose) {
    console.log(`${name}: ${cards.length} cards of ${all.length}, ${json.baseline_is}: ${json.summary}`)
    for (const one of all)
      console.log(
        `  ${one.rank} ${one.severity} ${one.score} ${one.kind}${one.background ? ' background' : ''}${one.explained_by ? ` (by ${one.explained_by})` : ''} ${one.what} | ${one.impact?.text} | ${one.before} → ${one.after}`,
      )
  }
  return { cards, summary: json.summary, baseline: json.baseline_is }
}

function names({ what, client, server }: Shown, truth: Truth): boolean {
  return (
    (truth.server === undefined || server?.name === truth.server) &&
    (truth.client === undefined || client?.name === truth.client) &&
    (truth.text === undefined || what.includes(truth.text))
  )
}

describe('the first suspect is the cause, and each cause has one card', () => {
  for (const { name, truth, hasNoBaseline, faults = 1 } of incidents)
    it(name, async () => {
      const { cards, baseline } = await cardsOf(name)
      expect(cards.findIndex((one) => names(one, truth)) + 1).toBe(1)
      expect(cards).toHaveLength(faults)
      expect(baseline).toBe(hasNoBaseline ? 'none' : 'before_change')
    }, 60_000)
})

describe('a healthy capture has nothing above a note', () => {
  for (const { name } of healthyCaptures)
    it(name, async () => {
      expect((await cardsOf(name)).cards.map(({ what }) => what)).toEqual([])
    }, 60_000)
})
