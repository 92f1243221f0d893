import type { Mapping } from '../mapping.ts'
import { findAll, firstText } from '../pdml.ts'
import { joinHalves, readLayers } from '../read-layers.ts'
import { hex } from '../values.ts'

/** tshark puts the ClientHello together in the packet that completes it. */
export const quic: Mapping = {
  protocol: 'quic',
  dissector: 'quic',
  read: (packets) =>
    joinHalves(
      readLayers(packets, 'quic', { keep: (layer) => firstText([layer], 'quic.long.packet_type') === '0' }),
      () => true,
    ),
  inOrder: true,
  fields: {
    version: {
      on: 'request',
      theirs: (nodes) => String(Number(firstText(nodes, 'quic.version'))),
      ours: 'quic.version',
    },
    destination_id: { on: 'request', theirs: hex('quic.dcid'), ours: 'quic.destination_id' },
    sni: { on: 'request', theirs: 'tls.handshake.extensions_server_name', ours: 'quic.sni' },
    alpn: {
      on: 'request',
      theirs: (nodes) => {
        const list = findAll(nodes, 'tls.handshake.extensions_alpn_str').map(({ show }) => show)
        return list.length === 0 ? undefined : list
      },
      ours: 'quic.alpn',
    },
    cipher_suites: {
      on: 'request',
      theirs: (nodes) => {
        const list = findAll(nodes, 'tls.handshake.ciphersuite')
        return list.length === 0 ? undefined : String(list.length)
      },
      ours: ({ call }) => {
        const list = Reflect.get(Object(call.quic), 'cipher_suites')
        return Array.isArray(list) ? String(list.length) : undefined
      },
    },
  },
}
