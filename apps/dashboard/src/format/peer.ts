import type { Endpoint } from '../client/call-details.ts'

/** `10.0.0.7:8080`, `[fd00::7]:8080` */
export function address(peer: Endpoint): string {
  const host = peer.ip.includes(':') ? `[${peer.ip}]` : peer.ip
  return peer.port === 0 ? peer.ip : `${host}:${peer.port}`
}

/** Whom people think of: a caller is a pod, what it calls is a service. */
export function peerName(peer: Endpoint, role: 'src' | 'dst'): string {
  const name = role === 'src' ? (peer.pod ?? peer.svc) : (peer.svc ?? peer.pod)
  return name ?? address(peer)
}

/** All that is known of a peer, for a tooltip. */
export function peerTitle(peer: Endpoint): string {
  return [
    address(peer),
    peer.pod && `pod ${peer.pod}`,
    peer.svc && `service ${peer.svc}`,
    peer.ns && `namespace ${peer.ns}`,
    peer.node && `node ${peer.node}`,
  ]
    .filter(Boolean)
    .join(' · ')
}
