import { type Flow, Malformed, type Side, type Transport } from '@tapdeck/wire'
import type { Dissector, Verdict } from '../dissector.ts'
import type { EngineContext } from './engine-context.ts'

/** Lists of more names than these are rare enough to have each its own. */
const SHARED_NAMES = 3

/** The protocols in the order in which a flow is asked for them: those that its ports hint at first. */
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

  /** These names and one more. The same names are the same list: most flows speak one protocol, the same as others. */
  names(list: readonly string[], name: string): readonly string[] {
    if (list.length >= SHARED_NAMES) return list.concat(name)
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

/** What asking a list of protocols about some bytes came to. */
export type Finding =
  | { readonly kind: 'found'; readonly protocol: Dissector; readonly side: Side }
  | { readonly kind: 'open'; readonly candidates: readonly Dissector[] }
  | { readonly kind: 'none' }

const NONE: Finding = { kind: 'none' }

/**
 * The first that says yes. Where it is only guessed who the client is, each is asked for both sides: `side` of what
 * is found says which one it was.
 */
export function ask(
  candidates: readonly Dissector[],
  bytes: Uint8Array,
  start: number,
  end: number,
  side: Side,
  transport: Transport,
  guessed: boolean,
  engine: Pick<EngineContext, 'fault'>,
): Finding {
  const open: Dissector[] = []
  const other: Side = side === 0 ? 1 : 0
  for (const protocol of candidates) {
    const verdict = probe(protocol, bytes, start, end, side, transport, engine)
    if (verdict === 'yes') return { kind: 'found', protocol, side }
    const turned = guessed ? probe(protocol, bytes, start, end, other, transport, engine) : 'no'
    if (turned === 'yes') return { kind: 'found', protocol, side: other }
    if (verdict === 'more' || turned === 'more') open.push(protocol)
  }
  return open.length > 0 ? { kind: 'open', candidates: open } : NONE
}

/** A mistake in one protocol must not hide the others. */
function probe(
  protocol: Dissector,
  bytes: Uint8Array,
  start: number,
  end: number,
  side: Side,
  transport: Transport,
  engine: Pick<EngineContext, 'fault'>,
): Verdict {
  try {
    return protocol.probe(bytes, start, end, side, transport)
  } catch (error) {
    if (!(error instanceof Malformed)) engine.fault(error, protocol.name)
    return 'no'
  }
}
