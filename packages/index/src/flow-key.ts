import type { FlowPeer, FlowQuery, FlowRow } from './call-index.ts'

type View = NonNullable<FlowQuery['aggregate']> | 'address'

/** By what flows are combined in each view. Other names of a peer may differ from flow to flow. */
const keys: Readonly<Record<View, readonly (keyof FlowPeer)[]>> = {
  address: ['ip'],
  pod: ['pod', 'ns', 'ip'],
  service: ['svc', 'ns', 'ip'],
  namespace: ['ns'],
  node: ['node'],
}

/** What identifies a row among those of the same view, over several indexes. */
export function keyOfFlow({ proto, client, server }: FlowRow, view: View): string {
  const ends = [client, server].flatMap((end) => keys[view].map((name) => end[name] ?? ''))
  return [proto, ...ends, ...(view === 'address' ? [server.port ?? ''] : [])].join('\u001f')
}
