import type { Filter } from '@tapdeck/kfl'

/** Calls that show no content: encrypted ones, those of unknown protocols, and what goes along with any traffic. */
const ENCRYPTED = 'proto in ["tls", "quic"]'
const CONTENT = 'not (proto in ["tls", "quic", "tcp", "udp", "sctp", "icmp", "dns"])'

export type Count = (kfl: string) => Promise<number>

/**
 * How many encrypted calls the peers that a filter names have had, where nothing of theirs could be read; 0 where
 * that is not why the filter found nothing. A filter that names no peers is about all of them.
 */
export async function onlyEncrypted(filter: Filter, count: Count): Promise<number> {
  if (filter.text.trim() === '' || asksForHandshakes(filter)) return 0
  const peers = filter.parts
    .filter(({ paths }) => paths.length > 0 && paths.every(isOfPeer))
    .map(({ text }) => `(${text})`)
  const protocols = filter.parts.filter(({ paths }) => paths.length === 1 && paths[0] === 'proto')
  const of = (condition: string) => count([...peers, condition].join(' and '))
  const wanted = protocols.map(({ text }) => `(${text})`)
  if (wanted.length > 0 && (await of([...wanted, ENCRYPTED].join(' and '))) > 0) return 0
  const [encrypted, readable] = await Promise.all([of(ENCRYPTED), of(CONTENT)])
  return readable === 0 ? encrypted : 0
}

function isOfPeer(path: string): boolean {
  return /^(src|dst)(\.|$)/.test(path)
}

function asksForHandshakes({ paths }: Filter): boolean {
  return paths.some((path) => path.startsWith('tls.') || path.startsWith('quic.'))
}
