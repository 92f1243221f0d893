import type { Snapshot } from '../../client/hub.ts'
import { count } from '../../format/amount.ts'

export type PacketDrops = NonNullable<Snapshot['nodes'][number]['drops']>

const PLACES = { kernel: 'in the kernel', queue: 'in a queue', disk: 'at the disk' } as const

/** Where packets were lost that are not in a recording. */
export function LostWhere({ drops }: { readonly drops: PacketDrops }) {
  const places = (['kernel', 'queue', 'disk'] as const).filter((place) => drops[place] > 0)
  if (places.length === 0) return null
  return <>: {places.map((place) => `${count(drops[place])} ${PLACES[place]}`).join(', ')}</>
}
