import {
  type Delivery,
  deliveryOf,
  type Endpoint,
  type LateFacts,
  type TimedCall,
  withLateResends,
} from '@tapdeck/dissect'
import type { Address, Flow, TcpMetrics } from '@tapdeck/wire'

/** A flow of which something became known after its calls: what was sent again, and what was never acknowledged. */
export interface LateFlow extends LateFacts {
  readonly client: Address
}

/** As it is stored; '' if there is nothing. */
export function lateTextOf({ ends: [client], unacked, resent }: Flow): string {
  return unacked === undefined && resent === undefined ? '' : JSON.stringify({ client, unacked, resent })
}

/** The facts of a stored text; undefined elements of arrays were stored as null. */
export function lateFlowOf(text: string): LateFlow {
  const { client, unacked, resent } = JSON.parse(text)
  return {
    client,
    unacked: unacked && [unacked[0] ?? undefined, unacked[1] ?? undefined],
    resent,
  }
}

/** The same of a flow that is open. */
export function lateFacts({ ends: [client], unacked, resent }: Flow): LateFlow {
  return { client, unacked, resent }
}

interface StoredTimes extends TimedCall {
  readonly src: Endpoint
}

export function lateDelivery(call: StoredTimes, late: LateFlow | undefined): Delivery | undefined {
  return late && deliveryOf(call, late, sideOf(call.src, late))
}

export function lateMetrics(
  tcp: TcpMetrics | undefined,
  call: StoredTimes,
  late: LateFlow | undefined,
): TcpMetrics | undefined {
  return tcp && late ? withLateResends(tcp, call, late, sideOf(call.src, late)) : tcp
}

function sideOf({ ip, port }: Endpoint, { client }: LateFlow) {
  return client.ip === ip && client.port === port ? 0 : 1
}

/** Whether a filter or a question reads what can become known after a call. */
export function readsLate(paths: readonly string[]): boolean {
  return paths.some((path) => path === 'delivery' || path === 'tcp.retransmissions')
}
