import { noise } from '../../../packages/dissect/src/conformance/replay.ts'
import {
  dynamicRequest,
  INSERTIONS,
  request,
  response,
  settings,
} from '../../../packages/dissect/src/protocols/http3/testing/http3-bytes.ts'
import {
  QuicSession,
  streamFrame,
} from '../../../packages/dissect/src/protocols/quic/testing/quic-session.ts'
import type { DamagedInput } from './damaged-input.ts'
import { mutateKeyLog, mutatePackets } from './mutate-connection.ts'

type Side = 0 | 1
type Random = () => number

interface Part {
  readonly side: Side
  readonly bytes: Buffer
}

const PATHS = ['/0', '/1', '/dynamic', '/early']
/** Ethernet, IPv4 and UDP in front of a datagram. */
const DATAGRAM_AT = 42

/** QUIC connections with HTTP/3, and damage to their frames before they are sealed, to datagrams, and to key logs. */
export class QuicInputs {
  get undamaged(): readonly DamagedInput[] {
    const session = sealed(parts(), () => 0.2)
    return [
      { ...session, packets: session.packets, sent: PATHS, isLate: false, hasTightLimits: false },
      { ...session, packets: session.packets, sent: PATHS, isLate: true, hasTightLimits: false },
    ]
  }

  damaged(random: Random): DamagedInput {
    const isInside = random() < 0.5
    const { packets, keyLog } = sealed(isInside ? damagedParts(parts(), random) : parts(), random)
    let changed: readonly { data: Uint8Array; time: number }[] = packets
    if (random() < 0.5) changed = mutatePackets(changed, random)
    if (random() < 0.5) changed = damagedDatagrams(changed, random)
    const log = random() < 0.7 ? keyLog : mutateKeyLog(keyLog, keyLog.replace(/7/g, '3'), random)
    return {
      ...{ packets: changed, keyLog: log, sent: isInside ? undefined : PATHS },
      ...{ isLate: random() < 0.3, hasTightLimits: random() < 0.3 },
    }
  }
}

/** Three requests, one of them with fields of the dynamic table, and their answers. */
function parts(): Part[] {
  return [
    { side: 1, bytes: Buffer.from(settings(1)) },
    { side: 0, bytes: Buffer.from(settings(0)) },
    { side: 0, bytes: Buffer.from(streamFrame(0, 0, request('/0'), true)) },
    { side: 1, bytes: Buffer.from(streamFrame(0, 0, response('first'), true)) },
    { side: 0, bytes: Buffer.from(streamFrame(8, 0, dynamicRequest('/dynamic'), true)) },
    { side: 0, bytes: Buffer.from(streamFrame(6, 0, INSERTIONS)) },
    { side: 0, bytes: Buffer.from(streamFrame(4, 0, request('/1').subarray(0, 9))) },
    { side: 0, bytes: Buffer.from(streamFrame(4, 9, request('/1').subarray(9), true)) },
    { side: 1, bytes: Buffer.from(streamFrame(8, 0, response('x'.repeat(1000)), true)) },
    { side: 1, bytes: Buffer.from(streamFrame(4, 0, response('second'), true)) },
  ]
}

function sealed(all: readonly Part[], random: Random): QuicSession {
  const early = streamFrame(12, 0, request('/early'), true)
  const session = new QuicSession(random() < 0.5 ? 1 : 2, ...(random() < 0.3 ? [early] : []))
  for (const { side, bytes } of all) {
    if (random() < 0.05) session.updateKey(side)
    session.send(side, bytes)
  }
  return session
}

function damagedParts(all: readonly Part[], random: Random): Part[] {
  const changed = [...all]
  for (let changes = 1 + below(4, random); changes > 0; changes--) {
    const at = below(changed.length, random)
    const { side, bytes } = changed[at]!
    const kind = below(7, random)
    const cut = below(bytes.length + 1, random)
    if (kind < 2) changed[at] = { side, bytes: withNoise(bytes, cut, 1 + below(4, random), random) }
    else if (kind === 2) changed[at] = { side, bytes: bytes.subarray(0, cut) }
    else if (kind === 3) changed[at] = { side: side === 0 ? 1 : 0, bytes }
    else if (kind === 4) changed.splice(at, 0, { side, bytes: Buffer.from(noise(1 + cut, random)) })
    else if (kind === 5) changed.splice(below(changed.length, random), 0, ...changed.splice(at, 1))
    else {
      const other = changed[below(changed.length, random)]!.bytes
      changed[at] = { side, bytes: Buffer.concat([bytes.subarray(0, cut), other]).subarray(0, 1100) }
    }
  }
  return changed
}

function damagedDatagrams<Packet extends { readonly data: Uint8Array; readonly time: number }>(
  packets: readonly Packet[],
  random: Random,
): Packet[] {
  const changed = [...packets]
  for (let changes = 1 + below(4, random); changes > 0; changes--) {
    const at = below(changed.length, random)
    const packet = changed[at]!
    const data = Buffer.from(packet.data)
    const place = DATAGRAM_AT + below(Math.max(1, data.length - DATAGRAM_AT), random)
    if (random() < 0.6)
      changed[at] = { ...packet, data: withNoise(data, place, 1 + below(3, random), random) }
    // Forged: of the same addresses, with other content.
    else changed.splice(at, 0, { ...packet, data: withNoise(data, place, data.length - place, random) })
  }
  return changed
}

function withNoise(bytes: Buffer, at: number, length: number, random: Random): Buffer {
  const changed = Buffer.from(bytes)
  changed.set(noise(length, random).subarray(0, Math.max(0, bytes.length - at)), Math.min(at, bytes.length))
  return changed
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit)
}
