import { availableParallelism } from 'node:os'
import type { Capture } from './captures.ts'
import { type Comparison, compare } from './compare.ts'
import { decodeAs } from './decode-as.ts'
import type { Mapping } from './mapping.ts'
import type { OurMessage } from './message.ts'
import { dissect, type Ours } from './ours.ts'
import { mappings } from './protocols/index.ts'
import { tshark } from './tshark.ts'

/** What came of one capture for one protocol. */
export interface Finding extends Comparison {
  readonly capture: string
  readonly protocol: string
  /** Calls of ours that were laid beside tshark's messages. */
  readonly calls: number
}

/** Every capture through both, for every protocol that either of us sees in it. */
export async function survey(captures: readonly Capture[]): Promise<Finding[]> {
  const findings: Finding[][] = []
  const waiting = [...captures.entries()]
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
      findings[next[0]] = await examine(next[1])
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return findings.flat()
}

async function examine({ name, file }: Capture): Promise<Finding[]> {
  const ours = dissect(file)
  const packets = await tshark(file, decodeAs(ours.flows))
  return mappings.flatMap((mapping) => {
    const mine = oursFor(mapping, ours)
    const theirs = mapping.read(packets)
    if (mine.length === 0 && theirs.length === 0) return []
    const calls = new Set(mine.map(({ call }) => call)).size
    return [{ capture: name, protocol: mapping.protocol, calls, ...compare(mapping, mine, theirs) }]
  })
}

function oursFor(mapping: Mapping, ours: Ours): readonly OurMessage[] {
  if (mapping.ours !== undefined) return mapping.ours(ours)
  const { protocol, speaks = [protocol], takes = () => true } = mapping
  return ours.messages.filter((message) => speaks.includes(message.call.proto) && takes(message))
}
