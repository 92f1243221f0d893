import type { Call } from '../../call.ts'
import { readMessage } from './message.ts'

/** Which addresses a DNS call gave for a name. */
export interface AddressAnswers {
  /** The name that was asked for, whatever aliases lay between it and the addresses. */
  readonly name: string
  readonly addresses: readonly { readonly ip: string; readonly ttl: number }[]
}

/** Undefined where the call is none that tells the addresses of a name. */
export function addressAnswers({ protocol, request, response }: Call): AddressAnswers | undefined {
  const head = response?.head
  if (protocol !== 'dns' || head === undefined || head.length < 12) return undefined
  const failed = (head[3] & 15) !== 0
  const answers = (head[6] << 8) | head[7]
  if (failed || answers === 0 || request === undefined) return undefined
  const message = readMessage(head)
  const name = message.questions[0]?.name
  const addresses = message.answers
    .filter(({ type }) => type === 'A' || type === 'AAAA')
    .map(({ data, ttl }) => ({ ip: data, ttl }))
  return name === undefined || name === '' || addresses.length === 0 ? undefined : { name, addresses }
}
