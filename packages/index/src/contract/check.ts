import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CallRecord, protocols } from '@tapdeck/dissect'
import { type Catalog, compile, createCatalog, type Filter } from '@tapdeck/kfl'
import type { CallPage } from '@tapdeck/questions'
import type { CallIndex, IndexOptions } from '../call-index.ts'

/** How an engine is opened: what the contract is checked against. */
export type OpenIndex = (folder: string, options: IndexOptions, catalog: Catalog) => Promise<CallIndex>

/** One thing that every engine must do, ready for a test runner: it rejects where it is not so. */
export interface Check {
  readonly name: string
  run(open: OpenIndex): Promise<void>
}

const catalog = createCatalog(protocols)

export const NODE = 'node-1'

export const sampleOptions: IndexOptions = {
  node: NODE,
  captureSource: 'af_packet',
  maxBytes: 0,
  memory: 256 * 1024 * 1024,
}

export function kfl(text = ''): Filter {
  return compile(text, catalog)
}

export const everything = kfl()

/** A folder that is gone afterwards, and a way to open an index in it (again). */
export async function inFolder(
  open: OpenIndex,
  run: (openIndex: (options?: Partial<IndexOptions>) => Promise<CallIndex>, folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-index-'))
  const opened: CallIndex[] = []
  try {
    await run(async (options) => {
      const index = await open(folder, { ...sampleOptions, ...options }, catalog)
      opened.push(index)
      return index
    }, folder)
  } finally {
    for (const index of opened) await index.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

export function withIndex(open: OpenIndex, run: (index: CallIndex) => Promise<void>): Promise<void> {
  return inFolder(open, async (openIndex) => run(await openIndex()))
}

export async function ids(index: CallIndex, filter = everything, limit = 1000): Promise<readonly string[]> {
  return idsOf(await index.calls({ filter, limit, order: 'newest' }))
}

export function idsOf({ calls }: CallPage): readonly string[] {
  return calls.map(({ id }) => id)
}

/** A call in its full shape as it goes out, without what depends on the rest of the database or on when it is asked. */
export function shape(call: CallRecord): object {
  const { tcp_handshake_p50_us, tcp_handshake_p90_us, tcp_handshake_p99_us, flow, ...rest } = JSON.parse(
    JSON.stringify(call),
  )
  return rest
}
