/** The known names that are nearest to a wanted one, for hints. At most three; all of them where there are few. */
export function nearestNames(wanted: string, known: Iterable<string>, most = 3): string[] {
  const scored: { name: string; score: number }[] = []
  for (const name of known) scored.push({ name, score: distance(wanted, name) })
  scored.sort((a, b) => a.score - b.score || (a.name < b.name ? -1 : 1))
  return scored.slice(0, most).map(({ name }) => name)
}

/** Levenshtein's, over the first 64 characters; a part of the other counts as near. */
function distance(a: string, b: string): number {
  const left = a.slice(0, 64).toLowerCase()
  const right = b.slice(0, 64).toLowerCase()
  if (left !== '' && (right.includes(left) || left.includes(right))) return 0.5
  let row = Array.from({ length: right.length + 1 }, (_, at) => at)
  for (let i = 1; i <= left.length; i++) {
    const next = [i]
    for (let j = 1; j <= right.length; j++) {
      const same = left[i - 1] === right[j - 1] ? 0 : 1
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same))
    }
    row = next
  }
  return row[right.length]!
}
