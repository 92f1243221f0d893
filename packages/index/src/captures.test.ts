import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Call, type CallRecord, Dissection, toCallRecord } from '@tapdeck/dissect'
import { CaptureReader, type Flow } from '@tapdeck/wire'
import { expect, it } from 'vitest'
import type { Peers } from './call-index.ts'
import { everything, inFolder, NODE, shape } from './contract/check.ts'
import { openIndex } from './duckdb/open-index.ts'

/** Captures of other projects, next to the checkout if they are there; each run reads a fifth of them. */
const folder = fileURLToPath(new URL('../../../../shared/captures', import.meta.url))

const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.pcap(ng)?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((_, i) => i % 5 === 0)
  : []

const peersOf = (flow: Flow, side: 0 | 1): Peers => ({
  src: flow.ends[side],
  dst: flow.ends[side === 0 ? 1 : 0],
})

/** Without what becomes known after the call. */
function whenEmitted(call: CallRecord): object {
  return { ...shape(call), delivery: undefined }
}

async function check(file: string): Promise<void> {
  await inFolder(openIndex, async (open) => {
    const index = await open()
    const live = new Map<string, object>()
    const emit = (call: Call) => {
      const peers = peersOf(call.flow, call.side)
      index.append(call, peers)
      const record: CallRecord = toCallRecord(call, peers, NODE, 'af_packet')
      live.set(record.id, whenEmitted(record))
    }
    let flows = 0
    const flow = (over: Flow) => {
      flows++
      index.appendFlow(over, peersOf(over, 0))
    }
    const dissection = new Dissection({ emit, flow })
    const reader = new CaptureReader(dissection, {})
    reader.push(readFileSync(file))
    reader.end()
    dissection.end()
    await index.flush()
    const { calls } = await index.calls({ filter: everything, limit: 100_000, order: 'newest' })
    expect(new Map(calls.map((call) => [call.id, whenEmitted(call)])), file).toEqual(live)
    expect((await index.summary()).flows, file).toBe(flows)
  })
}

it.skipIf(files.length === 0)(
  'gives back every call of real captures as it was when it was dissected',
  async () => {
    for (const file of files) await check(file)
  },
  120_000,
)
