import { type Call, packExchange, unpackExchange } from '@tapdeck/dissect'

/** A call in memory of its own: what the engine emits is only valid until the next packet. */
export interface HeldCall {
  /** The call without its messages. */
  readonly call: Call
  /** Its messages, packed. */
  readonly exchange: Uint8Array
}

export function holdCall({ request, response, ...rest }: Call): HeldCall {
  const { method, path, status, failure } = rest.summary
  return {
    call: { ...rest, summary: { method, path, status, failure } },
    exchange: packExchange({ request, response, ...rest }).slice(),
  }
}

export function releaseCall({ call, exchange }: HeldCall): Call {
  return { ...call, ...unpackExchange(call.protocol, exchange) }
}

/** The connection of a call, client first: two readers may have seen its ends in different order. */
export function connectionOf({ flow: { transport, ends }, side }: Call): string {
  const client = ends[side]
  const server = ends[side === 0 ? 1 : 0]
  return `${transport} ${client.ip} ${client.port} ${server.ip} ${server.port}`
}
