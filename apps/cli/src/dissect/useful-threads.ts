import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { sharingThreads } from '@tapdeck/parallel'

/** Less than this is read before threads have started. */
const worthThreads = 16_000_000
/** What captures grow by when they are unpacked, as a rule. */
const packing = 4

/** As many threads as the cores are worth, where there is enough to do for them. */
export async function usefulThreads(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map(sizeOf))
  const enough = sizes.reduce((sum, size) => sum + size, 0) >= worthThreads
  return enough ? sharingThreads(availableParallelism()) : 1
}

async function sizeOf(file: string): Promise<number> {
  if (file === '-') return worthThreads
  const { size } = await stat(file)
  return file.endsWith('.gz') ? size * packing : size
}
