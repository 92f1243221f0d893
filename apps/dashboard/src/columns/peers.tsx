import { peerName, peerTitle } from '../format/peer.ts'
import { Icon } from '../ui/icon.tsx'
import type { Column } from './column.ts'

export const peersColumn: Column = {
  id: 'peers',
  title: 'Source and destination',
  wide: { least: 190, share: 1 },
  medium: { least: 170, share: 1 },
  render: (call) => (
    <>
      <span className="cut" title={peerTitle(call.src)}>
        {peerName(call.src, 'src')}
      </span>
      <Icon name="right" size={12} />
      <span className="unseen"> to </span>
      <span className="cut" title={peerTitle(call.dst)}>
        {peerName(call.dst, 'dst')}
      </span>
    </>
  ),
}
