import type { PlantedIncident, Truth } from './incident.ts'
import type { Accusation, Investigation } from './investigator.ts'

export interface Score {
  readonly name: string
  readonly isHealthy: boolean
  /** From 1; 0: the cause was not named. */
  readonly place: number
  /** Findings of high severity before the cause that nothing explains; of a healthy capture, all above a note. */
  readonly wrong: number
  readonly calls: number
  readonly bytes: number
  readonly deadEnds: readonly string[]
  readonly first: string
}

export function scoreOf(
  { name, truth }: PlantedIncident,
  { accusations, calls, bytes, deadEnds }: Investigation,
): Score {
  const cause = truth && accusations.find((one) => one.severity !== 'note' && names(one, truth))
  const place = cause?.rank ?? 0
  const wrong = accusations.filter((one) =>
    truth === undefined
      ? one.severity !== 'note'
      : one.severity === 'high' && (place === 0 || one.rank < place) && one.explained_by === undefined,
  )
  const isHealthy = truth === undefined
  const first = accusations[0]?.what ?? '(no finding)'
  return { name, isHealthy, place, wrong: wrong.length, calls, bytes, deadEnds, first }
}

function names({ kind, client, server }: Accusation, truth: Truth): boolean {
  return (
    truth.kinds.includes(kind) &&
    server?.name === truth.server &&
    (truth.client === undefined || client?.name === truth.client)
  )
}

/** One line for each incident, and what the table must show. */
export function printScores(scores: readonly Score[]): boolean {
  console.log('| incident | place | wrong | calls | KB | first finding |')
  console.log('|---|---:|---:|---:|---:|---|')
  for (const { name, isHealthy, place, wrong, calls, bytes, first, deadEnds } of scores) {
    const shown = isHealthy ? (wrong === 0 ? 'silent' : 'loud') : place === 0 ? 'not named' : place
    const ends = deadEnds.length === 0 ? '' : ` (dead end: ${deadEnds.join(', ')})`
    console.log(
      `| ${name} | ${shown} | ${wrong} | ${calls} | ${(bytes / 1000).toFixed(1)} | ${first}${ends} |`,
    )
  }
  const faults = scores.filter(({ isHealthy }) => !isHealthy)
  const within = (places: number) => faults.filter(({ place }) => place > 0 && place <= places).length
  const loud = scores.filter(({ isHealthy, wrong }) => isHealthy && wrong > 0).length
  const isCheap = scores.every(({ calls, bytes }) => calls <= 5 && bytes <= 25_000)
  console.log(
    `first ${within(1)} of ${faults.length}, first three ${within(3)} of ${faults.length}, wrong accusations ${faults.reduce((sum, { wrong }) => sum + wrong, 0)}, healthy but not silent ${loud}, at most 5 calls and 25 KB: ${isCheap ? 'yes' : 'no'}`,
  )
  return within(3) === faults.length && within(1) >= faults.length - 2 && loud === 0 && isCheap
}
