import { type Flow, Malformed, type Side, type Transport } from '@tapdeck/wire'
import type { Dissector, Verdict } from '../../contract/dissector.ts'

/** Longer lists are rare, so they are not shared. */
const MAX_SHARED_NAMES = 3

/** Receives errors other than `Malformed`: bugs in a protocol. */
export interface FaultReporter {
  fault(error: unknown, protocol: string): void
}

/** The protocols in the order in which they are probed: those hinted at by the ports first. */
export class Candidates {
  readonly #all = new Map<Transport, readonly Dissector[]>()
  readonly #hinted = new Map<Transport, Map<number, readonly Dissector[]>>()
  readonly #names = new Map<string, Dissector>()
  readonly #lists = new Map<readonly string[], Map<string, readonly string[]>>()

  constructor(protocols: readonly Dissector[]) {
    for (const protocol of protocols) this.#names.set(protocol.name, protocol)
    for (const transport of ['tcp', 'udp', 'sctp', 'icmp'] as const) {
      const all = protocols.filter((protocol) => protocol.transports.includes(transport))
      const hinted = new Map<number, readonly Dissector[]>()
      for (const port of new Set(all.flatMap((protocol) => protocol.ports))) {
        const first = all.filter((protocol) => protocol.ports.includes(port))
        hinted.set(port, [...first, ...all.filter((protocol) => !first.includes(protocol))])
      }
      this.#all.set(transport, all)
      this.#hinted.set(transport, hinted)
    }
  }

  of(flow: Flow): readonly Dissector[] {
    const hinted = this.#hinted.get(flow.transport)
    const [client, server] = flow.ends
    return hinted?.get(server.port) ?? hinted?.get(client.port) ?? this.#all.get(flow.transport) ?? []
  }

  /** The list with one more name. Equal lists are one object, since most flows have the same protocol. */
  names(list: readonly string[], name: string): readonly string[] {
    if (list.length >= MAX_SHARED_NAMES) return list.concat(name)
    let longer = this.#lists.get(list)
    if (longer === undefined) {
      longer = new Map()
      this.#lists.set(list, longer)
    }
    let found = longer.get(name)
    if (found === undefined) {
      found = list.concat(name)
      longer.set(name, found)
    }
    return found
  }

  named(name: string): Dissector | undefined {
    return this.#names.get(name)
  }
}

/** The outcome of probing some bytes. */
export type Detection =
  | { readonly kind: 'found'; readonly protocol: Dissector; readonly side: Side }
  | { readonly kind: 'undecided'; readonly candidates: readonly Dissector[] }
  | { readonly kind: 'none' }

const NONE: Detection = { kind: 'none' }

/** `bytes[start, end)` of one side. */
export interface ProbedBytes {
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly side: Side
  readonly transport: Transport
  readonly isClientGuessed: boolean
  /** The sender's port, if the capture has no packet of the other side; otherwise -1. */
  readonly unpairedPort: number
}

/**
 * The first protocol that says yes. If the client is only a guess, each is probed for both sides, and `side` is the
 * one that matched.
 */
export function probeAll(
  candidates: readonly Dissector[],
  probed: ProbedBytes,
  engine: FaultReporter,
): Detection {
  const undecided: Dissector[] = []
  const { side, isClientGuessed } = probed
  const other: Side = side === 0 ? 1 : 0
  for (const protocol of candidates) {
    const verdict = probe(protocol, probed, side, engine)
    if (verdict === 'yes') return { kind: 'found', protocol, side }
    const swapped = isClientGuessed ? probe(protocol, probed, other, engine) : 'no'
    if (swapped === 'yes') return { kind: 'found', protocol, side: other }
    const unpaired = probeUnpaired(protocol, probed, engine)
    if (unpaired === 'yes') return { kind: 'found', protocol, side: 1 }
    if (verdict === 'more' || swapped === 'more' || unpaired === 'more') undecided.push(protocol)
  }
  return undecided.length > 0 ? { kind: 'undecided', candidates: undecided } : NONE
}

function probeUnpaired(protocol: Dissector, probed: ProbedBytes, engine: FaultReporter): Verdict {
  const { bytes, start, end, unpairedPort } = probed
  if (unpairedPort < 0 || protocol.probeResponse === undefined) return 'no'
  if (!protocol.ports.includes(unpairedPort)) return 'no'
  try {
    return protocol.probeResponse(bytes, start, end)
  } catch (error) {
    if (!(error instanceof Malformed)) engine.fault(error, protocol.name)
    return 'no'
  }
}

/** A bug in one protocol must not hide the others. */
function probe(protocol: Dissector, probed: ProbedBytes, side: Side, engine: FaultReporter): Verdict {
  const { bytes, start, end, transport } = probed
  try {
    return protocol.probe(bytes, start, end, side, transport)
  } catch (error) {
    if (!(error instanceof Malformed)) engine.fault(error, protocol.name)
    return 'no'
  }
}
