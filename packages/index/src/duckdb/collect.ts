import type { Chunk } from './chunk.ts'
import type { Engine } from './engine.ts'

/** A statement over some of the chunks of an index. */
export type OverChunks = (chunks: readonly Chunk[]) => string

let count = 0

/**
 * Runs `query` over what `select` selects from all chunks. The memory of a statement grows with its chunks, mostly by its
 * joins: many chunks are read in groups, one after the other, into a table in memory. So what is selected should be small.
 */
export async function collected<Result>(
  engine: Engine,
  groups: readonly (readonly Chunk[])[],
  select: OverChunks,
  query: (rows: string) => Promise<Result>,
): Promise<Result> {
  const [first = [], ...others] = groups
  if (others.length === 0) return query(`(${select(first)})`)
  const table = `memory.main.collected_${++count}`
  try {
    await engine.rows(`CREATE TABLE ${table} AS ${select(first)}`)
    for (const group of others) await engine.rows(`INSERT INTO ${table} ${select(group)}`)
    return await query(table)
  } finally {
    await engine.run(`DROP TABLE IF EXISTS ${table}`)
  }
}

/** The chunks in the groups that one statement can read. `weight` counts what else takes memory, `most` is for a group. */
export function groupsOf(
  { chunksAtOnce, chunksOfMany }: Engine,
  chunks: readonly Chunk[],
  weight: (chunk: Chunk) => number = () => 0,
  most = Number.POSITIVE_INFINITY,
): readonly (readonly Chunk[])[] {
  const atOnce = chunks.length <= chunksAtOnce ? chunksAtOnce : chunksOfMany
  const groups: Chunk[][] = []
  let heavy = 0
  for (const chunk of chunks) {
    const last = groups.at(-1)
    heavy += weight(chunk)
    if (last !== undefined && last.length < atOnce && heavy <= most) last.push(chunk)
    else {
      groups.push([chunk])
      heavy = weight(chunk)
    }
  }
  return groups
}
