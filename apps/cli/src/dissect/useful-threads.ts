import { stat } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { MAX_THREADS } from '@tapdeck/parallel'

/** Less than this is read before threads have started. */
const worthThreads = 16_000_000
/** Every thread compiles the same code anew. Where no core is idle meanwhile, it takes this much to win that back. */
const worthFewCores = 256_000_000
const fewCores = 4
/** What captures grow by when they are unpacked, as a rule. */
const packing = 4

/** As many threads as there are cores, where there is enough to do for them. */
export async function usefulThreads(
  files: readonly string[],
  cores = availableParallelism(),
): Promise<number> {
  const sizes = await Promise.all(files.map(sizeOf))
  const enough = cores < fewCores ? worthFewCores : worthThreads
  return sizes.reduce((sum, size) => sum + size, 0) < enough ? 1 : Math.min(MAX_THREADS, cores)
}

async function sizeOf(file: string): Promise<number> {
  if (file === '-') return worthThreads
  const { size } = await stat(file)
  return file.endsWith('.gz') ? size * packing : size
}
