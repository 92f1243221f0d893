import { keyOfParty, type Party, type Traffic } from './evidence.ts'
import type { Finding } from './finding.ts'
import type { Impact, Loss } from './loss.ts'
import { percent, whole } from './statistics.ts'

/** Lookups and handshakes come with connections, not with requests. */
const NO_REQUEST: ReadonlySet<string> = new Set(['dns', 'tls'])

/** Where calls enter the system: their clients are called by no other. */
export class SystemEdge {
  /** Calls that enter. */
  readonly calls: number
  readonly #callers: ReadonlySet<string>
  readonly #entered: ReadonlySet<string>

  constructor(edges: readonly Traffic[]) {
    const requests = edges.filter(({ proto }) => !NO_REQUEST.has(proto))
    const called = new Set(requests.map(({ server }) => keyOfParty(server)))
    const entering = requests.filter(({ client }) => !called.has(keyOfParty(client)))
    this.calls = entering.reduce((sum, { calls }) => sum + calls, 0)
    this.#callers = new Set(entering.map(({ client }) => keyOfParty(client)))
    this.#entered = new Set(entering.map(({ server }) => keyOfParty(server)))
  }

  /** Whether the calls of a finding are calls that enter. */
  has({ client, server, covers }: Finding): boolean {
    if (client !== undefined) return this.#callers.has(keyOfParty(client))
    return [server, ...(covers ?? [])].some((one) => one !== undefined && this.#entered.has(keyOfParty(one)))
  }
}

/** The loss of a cause and its consequences: that of the calls that enter, else the largest. */
export function impactOf(
  cause: Finding,
  consequences: readonly Finding[],
  edge: SystemEdge,
): { readonly impact: Impact; readonly isAtEdge: boolean } | undefined {
  const lossy = [cause, ...consequences].filter(({ loss, isOrdinary }) => loss !== undefined && !isOrdinary)
  const entering = lossy.filter((one) => edge.has(one))
  const own = lossy.includes(cause) ? [cause] : lossy
  const [most] = (entering.length > 0 ? entering : own).toSorted(
    (a, b) => (b.loss?.lost ?? 0) - (a.loss?.lost ?? 0),
  )
  if (most?.loss === undefined) return undefined
  return { impact: described(most, most.loss), isAtEdge: entering.length > 0 }
}

function described({ client, server, covers, selection }: Finding, loss: Loss): Impact {
  const share = loss.lost / Math.max(loss.of, 1)
  const proto = selection?.proto === undefined ? '' : `${selection.proto} `
  const from = client === undefined ? '' : ` from ${nameOf(client)}`
  const to = server ? nameOf(server) : (covers ?? []).map(nameOf).join(', ')
  const on = loss.path === undefined ? '' : ` on ${loss.path}`
  const verb = loss.how === 'failed' ? 'fail' : 'are delayed'
  // Of those that are delayed, a percentile says how many there are.
  const about = loss.how === 'failed' ? '' : 'about '
  const text = `${percent(share)} of ${proto}calls${from} to ${to}${on} ${verb}: ${about}${whole(loss.lost)} of ${whole(loss.of)}`
  return { ...loss, share, text }
}

function nameOf({ name }: Party): string {
  return name
}
