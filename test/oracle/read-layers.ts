import type { TheirMessage } from './message.ts'
import { layersOf, routeOf } from './packet.ts'
import { firstText, type Shown, type ShownPacket } from './pdml.ts'

export interface LayerReading {
  /** The field that names the packet of the request. */
  readonly asked?: string
  readonly key?: (layer: Shown) => string | undefined
  readonly keep?: (layer: Shown) => boolean
  /** Where one layer holds several messages. */
  readonly split?: (layer: Shown) => readonly Shown[]
}

/** Every layer of that name as a message of its own. */
export function readLayers(
  packets: readonly ShownPacket[],
  name: string,
  { asked, key, keep = () => true, split = (layer) => [layer] }: LayerReading = {},
): TheirMessage[] {
  const times = new Map(packets.map(({ number, time }) => [String(number), time]))
  // What ends with its connection, tshark shows in the packet that closes it; to us it was complete with its last byte.
  const spoken = new Map<string, number>()
  return packets.flatMap((packet) => {
    const route = routeOf(packet)
    if (route === undefined) return []
    const side = `${route.flow}|${route.from}`
    if (firstText(packet.layers, 'tcp.len') !== '0') spoken.set(side, packet.time)
    const time = spoken.get(side) ?? packet.time
    return layersOf(packet, name)
      .flatMap(split)
      .filter(keep)
      .map((layer) => {
        const request = asked === undefined ? undefined : times.get(firstText([layer], asked) ?? '')
        const itsKey = key?.(layer)
        return {
          ...{ flow: route.flow, from: route.from, time, nodes: [layer] },
          ...(request === undefined ? {} : { asked: request }),
          ...(itsKey === undefined ? {} : { key: itsKey }),
        }
      })
  })
}

/** Several messages of tshark that are one to us: those that `same` says belong to the one before on their side. */
export function joinHalves(
  messages: readonly TheirMessage[],
  same: (message: TheirMessage, before: TheirMessage) => boolean,
): TheirMessage[] {
  const joined: TheirMessage[] = []
  const last = new Map<string, number>()
  for (const message of messages) {
    const side = `${message.flow}|${message.from}`
    const at = last.get(side)
    const before = at === undefined ? undefined : joined[at]
    if (at !== undefined && before !== undefined && same(message, before))
      joined[at] = { ...before, time: message.time, nodes: [...before.nodes, ...message.nodes] }
    else last.set(side, joined.push(message) - 1)
  }
  return joined
}
