import { Problem } from '@tapdeck/api'
import type { CallSource } from '../query/call-source.ts'
import { SourceSet } from '../query/source-set.ts'

interface Window {
  readonly kfl: string
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/**
 * How many calls of an answer may be in it twice, because their nodes are not known. Nodes that do not answer are missing
 * from the answer itself, which says so.
 */
export async function undecidedOwnership(
  sources: readonly CallSource[],
  { kfl, start, end }: Window,
): Promise<{ undecided_ownership?: number }> {
  if (sources.length < 2 && !sources.some(({ isShared }) => isShared)) return {}
  const window = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
  const answers = await new SourceSet(sources)
    .ask('count', { kfl, ...window, undecided: true })
    .catch((error: unknown) => {
      if (error instanceof Problem) return new Map()
      throw error
    })
  let undecided = 0
  for (const answer of answers.values()) if (answer.undecided) undecided += answer.count
  return undecided > 0 ? { undecided_ownership: undecided } : {}
}
