import { sumLoss } from '@tapdeck/wire'
import { MAX_ERRORS, type ShareTally } from './dissection-task.ts'

/** The sum of captures that share nothing. `errors` come before theirs. */
export function sumTallies(
  tallies: readonly (ShareTally | undefined)[],
  errors: readonly string[] = [],
): ShareTally {
  const all = tallies.filter((tally) => tally !== undefined)
  return {
    bytes: all.reduce((sum, { bytes }) => sum + bytes, 0),
    packets: all.reduce((sum, { packets }) => sum + packets, 0),
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    flows: all.reduce((sum, { flows }) => sum + flows, 0),
    protocols: sumCounts(all.map(({ protocols }) => protocols)),
    decrypted: sumCounts(all.map(({ decrypted }) => decrypted)),
    loss: sumLoss(all.map(({ loss }) => loss)),
    errors: [...errors, ...all.flatMap((tally) => tally.errors)].slice(0, MAX_ERRORS),
  }
}

/** Of one capture whose flows several threads share: each reads all of it, and the slowest says how far it has got. */
export function tallyOfShares(shares: readonly ShareTally[]): ShareTally {
  return {
    ...sumTallies(shares),
    bytes: Math.min(...shares.map(({ bytes }) => bytes)),
    packets: Math.min(...shares.map(({ packets }) => packets)),
  }
}

function sumCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sums: Record<string, number> = {}
  for (const [name, count] of all.flatMap((counts) => Object.entries(counts)))
    sums[name] = (sums[name] ?? 0) + count
  return sums
}
