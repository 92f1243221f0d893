/** Adds counts by kind to a total. */
export function addCounts(total: Record<string, number>, more: object): void {
  for (const [kind, count] of Object.entries(more)) total[kind] = (total[kind] ?? 0) + Number(count)
}
