import { isLookupPort, Malformed } from '@tapdeck/wire'
import type { Call } from '../../contract/call.ts'
import { HEADER } from './frame.ts'
import { knownName, nameEnd } from './known-name.ts'
import { readName, skipName } from './name.ts'
import { TYPE } from './names.ts'
import { readData } from './rdata.ts'

/** Which addresses a DNS call gave for a name. */
export interface AddressAnswers {
  /** The name that was asked for, whatever aliases lay between it and the addresses. */
  readonly name: string
  readonly addresses: readonly { readonly ip: string; readonly ttl: number }[]
}

/** Receives an address that was answered for a name: the data `head[at, end)` of a record of type A or AAAA. */
export interface AddressTaker {
  address(name: string, type: number, head: Uint8Array, at: number, end: number, ttl: number): void
}

/** Undefined where the call is none that tells the addresses of a name. */
export function addressAnswers(call: Call): AddressAnswers | undefined {
  const addresses: { readonly ip: string; readonly ttl: number }[] = []
  let asked: string | undefined
  eachAddress(call, {
    address(name, type, bytes, at, end, ttl) {
      asked = name
      addresses.push({ ip: addressText(type, bytes, at, end), ttl })
    },
  })
  return asked === undefined ? undefined : { name: asked, addresses }
}

/** The data of a record of type A or AAAA as text. */
export function addressText(type: number, bytes: Uint8Array, at: number, end: number): string {
  return readData(type, { bytes, start: 0, at, end })
}

/**
 * What `addressAnswers` has, one after the other and without an object for each. Only what a port of lookups told names
 * addresses: threads that share a capture all have to see it, and know it by its port.
 */
export function eachAddress({ protocol, flow, request, response }: Call, taker: AddressTaker): void {
  const head = response?.head
  if (protocol !== 'dns' || head === undefined || head.length < HEADER) return
  if (!isLookupPort(flow.ends[0].port) && !isLookupPort(flow.ends[1].port)) return
  const failed = (head[3] & 15) !== 0
  const questions = (head[4] << 8) | head[5]
  const answers = (head[6] << 8) | head[7]
  if (failed || answers === 0 || questions === 0 || request === undefined) return
  let name: string | undefined
  try {
    let at = HEADER
    for (let i = 0; i < questions; i++) {
      const asked = knownName(head, 0, at, head.length)
      at = nameEnd + 4
      if (at > head.length) return
      name ??= asked
    }
    if (name === undefined) return
    for (let i = 0; i < answers; i++) at = takeAnswer(head, at, name, taker)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

/** Where the record after this one begins. */
function takeAnswer(head: Uint8Array, from: number, name: string, taker: AddressTaker): number {
  const { length } = head
  // Nearly always a pointer to the question, which was read before.
  if (head[from] !== 0xc0 || head[from + 1] !== HEADER) readName(head, 0, from, length)
  const at = skipName(head, from, length)
  const data = at + 10
  if (data > length) throw new Malformed('record cut short')
  const end = data + ((head[at + 8] << 8) | head[at + 9])
  if (end > length) throw new Malformed('record cut short')
  const type = (head[at] << 8) | head[at + 1]
  if (type === TYPE.A || type === TYPE.AAAA) {
    const ttl = ((head[at + 4] << 24) | (head[at + 5] << 16) | (head[at + 6] << 8) | head[at + 7]) >>> 0
    taker.address(name, type, head, data, end, ttl)
  }
  return end
}
