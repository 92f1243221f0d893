import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toCallRecord } from '@tapdeck/dissect'
import { compile, createCatalog, toSql } from '@tapdeck/kfl'
import { arbitraryCall, arbitraryFilter, sampleProtocols, seededRandom } from '@tapdeck/kfl/testing'
import { trials } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallIndex } from '../call-index.ts'
import { sampleOptions } from '../contract/check.ts'
import { callOfShape } from '../testing/call-of-shape.ts'
import { callColumns } from './call-columns.ts'
import { openIndex } from './open-index.ts'

const CALLS = 300
/** Each is tried on every call; `TAPDECK_AGREEMENT_FILTERS` asks for more of them, for a long run now and then. */
const FILTERS = Number(process.env.TAPDECK_AGREEMENT_FILTERS ?? trials(400, 80))

const catalog = createCatalog(sampleProtocols)
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-agreement-'))
const random = seededRandom(Number(process.env.TAPDECK_AGREEMENT_SEED ?? 20_260_101))
const calls = Array.from({ length: CALLS }, (_, i) =>
  callOfShape({ ...arbitraryCall(random), proto: ['http', 'redis', 'mongodb', 'tcp'][i % 4] }, i),
)
let index: CallIndex

beforeAll(async () => {
  index = await openIndex(folder, sampleOptions, catalog)
  for (const [i, { call, peers }] of calls.entries()) {
    index.append(call, peers)
    if (i % 100 === 99) await index.flush()
  }
})

afterAll(async () => {
  await index.close()
  rmSync(folder, { recursive: true })
})

it(
  'selects the same calls in SQL as the filter does on the live stream',
  async () => {
    const { node, captureSource } = sampleOptions
    const columns = callColumns(node, captureSource, catalog)
    const live = calls.map(({ call, peers }) => toCallRecord(call, peers, node, captureSource))
    let exact = 0
    let some = 0
    for (let i = 0; i < FILTERS; i++) {
      const { words, cel } = arbitraryFilter(random)
      const filter = compile(i % 2 === 0 ? words : cel, catalog)
      const expected = live.filter((call) => filter.matches(call)).map(({ id }) => id)
      const page = await index.calls({ filter, limit: 1000, order: 'newest' })
      expect(page.calls.map(({ id }) => id).sort(), filter.text).toEqual(expected.sort())
      if (toSql(filter, columns).exact) exact++
      if (expected.length > 0 && expected.length < CALLS) some++
    }
    // The test would say little if most filters let through all or nothing, or if SQL decided none of them.
    expect(exact).toBeGreaterThan(FILTERS / 3)
    expect(some).toBeGreaterThan(FILTERS / 3)
  },
  Math.max(120_000, FILTERS * 300),
)
