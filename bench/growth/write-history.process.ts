import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { protocols } from '@tapdeck/dissect'
import { openIndex } from '@tapdeck/index'
import { createCatalog } from '@tapdeck/kfl'
import { HistoryCalls } from './history-calls.ts'
import { historyOptions } from './history-options.ts'

/**
 * Writes an index of so many calls, in a process of its own. A flush each 125,000 calls makes chunks of exactly a million
 * with the memory of a dissection. `written.ndjson` gets a line a million: calls, processor time of a call, memory.
 */
const [, , folder, calls, bodyBytes] = process.argv
const FLUSH_EVERY = 125_000
const AT_ONCE = 500
const REPORT_EVERY = 1_000_000

mkdirSync(folder, { recursive: true })
const index = await openIndex(join(folder, 'index'), historyOptions, createCatalog(protocols))
const made = new HistoryCalls(Number(bodyBytes))
let making = 0
let before = processor()
for (let n = 0; n < Number(calls); n += AT_ONCE) {
  const began = mainThread()
  const batch = Array.from({ length: AT_ONCE }, (_, i) => made.make(n + i))
  making += mainThread() - began
  for (const [call, peers] of batch) index.append(call, peers)
  for (const [flow, peers] of made.takeEnded()) index.appendFlow(flow, peers)
  const written = n + AT_ONCE
  if (written % FLUSH_EVERY === 0) await index.flush()
  if (written % REPORT_EVERY === 0) report(written)
}
await index.close()

function report(written: number): void {
  const now = processor()
  const processor_us = (now - before - making) / REPORT_EVERY
  const memory_mb = Math.round(process.memoryUsage().rss / 2 ** 20)
  appendFileSync(
    join(folder, 'written.ndjson'),
    `${JSON.stringify({ calls: written, processor_us, memory_mb })}\n`,
  )
  making = 0
  before = now
}

/** Processor time of all threads, µs. */
function processor(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Processor time of this thread, µs. */
function mainThread(): number {
  return Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[0]) / 1000
}
