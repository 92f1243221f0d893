import { mkdirSync } from 'node:fs'
import type { Catalog } from '@tapdeck/kfl'
import type { CallIndex, IndexOptions } from '../call-index.ts'
import { OpenFlows } from '../open-flows.ts'
import { Chunks } from './chunks.ts'
import { DuckdbIndex } from './duckdb-index.ts'
import { type ChunkGroups, Engine } from './engine.ts'

/**
 * Opens the index in a folder, making it where there is none, and repairs what a crash left behind. Read-only, a
 * finished index is opened as it is: nothing is written, and others may have it open too.
 */
export function openIndex(folder: string, options: IndexOptions, catalog: Catalog): Promise<CallIndex> {
  return openIndexInChunks(folder, options, catalog)
}

/** `rows`: calls of a chunk. `groups`: how many chunks a statement reads. Both follow from the memory by default. */
export async function openIndexInChunks(
  folder: string,
  options: IndexOptions,
  catalog: Catalog,
  { rows, groups }: { readonly rows?: number; readonly groups?: ChunkGroups } = {},
): Promise<CallIndex> {
  const readOnly = options.readOnly ?? false
  if (!readOnly) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const engine = await Engine.start(folder, options.memory, readOnly, groups)
  try {
    const chunks = new Chunks(folder, options, engine, rows)
    await chunks.open()
    const open = new OpenFlows()
    const writer = readOnly ? undefined : await chunks.write(open)
    return new DuckdbIndex(options, catalog, engine, chunks, open, writer)
  } catch (error) {
    engine.stop()
    throw error
  }
}
