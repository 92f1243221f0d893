import type { Snapshot } from '../../client/hub.ts'

/** What is left of a snapshot that is being made, or nothing where the nodes are not known yet. */
export function leftOf({ nodes }: Pick<Snapshot, 'nodes'>): string | undefined {
  if (nodes.length === 0) return undefined
  const waiting = nodes.filter(({ status }) => status === 'pending' || status === 'in_progress')
  if (waiting.length === 0) return 'All nodes are done. The files are being finished.'
  const names = waiting.slice(0, 3).map(({ name }) => name)
  const more = waiting.length > names.length ? ` and ${waiting.length - names.length} more` : ''
  return `${nodes.length - waiting.length} of ${nodes.length} nodes are done. Left: ${names.join(', ')}${more}.`
}
