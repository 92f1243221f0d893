import { Malformed } from '@tapdeck/wire'
import type { Call } from '../../call.ts'
import { HEADER } from './frame.ts'
import { readName, skipName } from './name.ts'
import { TYPE } from './names.ts'
import { readData } from './rdata.ts'

/** Which addresses a DNS call gave for a name. */
export interface AddressAnswers {
  /** The name that was asked for, whatever aliases lay between it and the addresses. */
  readonly name: string
  readonly addresses: readonly { readonly ip: string; readonly ttl: number }[]
}

/** Undefined where the call is none that tells the addresses of a name. */
export function addressAnswers({ protocol, request, response }: Call): AddressAnswers | undefined {
  const head = response?.head
  if (protocol !== 'dns' || head === undefined || head.length < HEADER) return undefined
  const failed = (head[3] & 15) !== 0
  const questions = (head[4] << 8) | head[5]
  const answers = (head[6] << 8) | head[7]
  if (failed || answers === 0 || questions === 0 || request === undefined) return undefined
  const addresses: { readonly ip: string; readonly ttl: number }[] = []
  let name: string | undefined
  try {
    let at = HEADER
    for (let i = 0; i < questions; i++) {
      const asked = readName(head, 0, at, head.length)
      at = skipName(head, at, head.length) + 4
      if (at > head.length) return undefined
      name ??= asked
    }
    for (let i = 0; i < answers; i++) at = readAnswer(head, at, addresses)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return name === undefined || addresses.length === 0 ? undefined : { name, addresses }
}

/** Where the record after this one begins. */
function readAnswer(head: Uint8Array, from: number, into: { ip: string; ttl: number }[]): number {
  const { length } = head
  // Nearly always a pointer to the question, which was read before.
  if (head[from] !== 0xc0 || head[from + 1] !== HEADER) readName(head, 0, from, length)
  const at = skipName(head, from, length)
  const data = at + 10
  if (data > length) throw new Malformed('record cut short')
  const end = data + ((head[at + 8] << 8) | head[at + 9])
  if (end > length) throw new Malformed('record cut short')
  const type = (head[at] << 8) | head[at + 1]
  if (type === TYPE.A || type === TYPE.AAAA)
    into.push({
      ip: readData(type, { bytes: head, start: 0, at: data, end }),
      ttl: ((head[at + 4] << 24) | (head[at + 5] << 16) | (head[at + 6] << 8) | head[at + 7]) >>> 0,
    })
  return end
}
