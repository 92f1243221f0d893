import { Malformed } from '@tapdeck/wire'
import { HEADER } from './frame.ts'
import { readName, skipName } from './name.ts'
import { className, opcodeName, rcodeName, TYPE, typeName } from './names.ts'
import { readData } from './rdata.ts'

export interface DnsQuestion {
  readonly name: string
  readonly type: string
  readonly class: string
}

export interface DnsRecord {
  readonly name: string
  readonly type: string
  readonly class?: string
  readonly ttl: number
  readonly data: string
}

/** RFC 6891 §6.1.3 */
export interface Edns {
  readonly version: number
  readonly udp_size: number
  readonly do: boolean
  readonly options?: readonly { readonly code: number; readonly data: string }[]
}

export interface DnsMessage {
  readonly id: number
  readonly opcode: string
  readonly response: boolean
  readonly flags: readonly string[]
  readonly rcode: string
  readonly questions: readonly DnsQuestion[]
  readonly answers: readonly DnsRecord[]
  readonly authorities: readonly DnsRecord[]
  readonly additionals: readonly DnsRecord[]
  readonly edns?: Edns
  /** The message ended before its counts said so. */
  readonly cut: boolean
}

type Draft = { -readonly [K in keyof DnsMessage]: DnsMessage[K] }

const FLAGS: readonly (readonly [bit: number, name: string])[] = [
  [0x0400, 'aa'],
  [0x0200, 'tc'],
  [0x0100, 'rd'],
  [0x0080, 'ra'],
  [0x0020, 'ad'],
  [0x0010, 'cd'],
]

/** All of a message that can be read; where it breaks off, what came before stands. */
export function readMessage(bytes: Uint8Array, start = 0, end = bytes.length): DnsMessage {
  const word = (at: number) => (bytes[start + at] << 8) | bytes[start + at + 1]
  if (end - start < HEADER) throw new Malformed('message shorter than a header')
  const bits = word(2)
  const questions: DnsQuestion[] = []
  const sections: [DnsRecord[], DnsRecord[], DnsRecord[]] = [[], [], []]
  const message: Draft = {
    id: word(0),
    opcode: opcodeName((bits >> 11) & 15),
    response: bits >> 15 === 1,
    flags: FLAGS.filter(([bit]) => bits & bit).map(([, name]) => name),
    rcode: rcodeName(bits & 15),
    questions,
    answers: sections[0],
    authorities: sections[1],
    additionals: sections[2],
    cut: false,
  }
  let at = start + HEADER
  try {
    for (let i = word(4); i > 0; i--) {
      const name = readName(bytes, start, at, end)
      at = skipName(bytes, at, end)
      if (at + 4 > end) throw new Malformed('question cut short')
      const type = (bytes[at] << 8) | bytes[at + 1]
      const code = ((bytes[at + 2] << 8) | bytes[at + 3]) & 0x7fff
      questions.push({ name, type: typeName(type), class: className(code) })
      at += 4
    }
    for (const [index, section] of sections.entries())
      for (let i = word(6 + index * 2); i > 0; i--) at = readRecord(bytes, start, at, end, section, message)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    message.cut = true
  }
  return message
}

function readRecord(
  bytes: Uint8Array,
  start: number,
  from: number,
  end: number,
  into: DnsRecord[],
  message: Draft,
): number {
  const name = readName(bytes, start, from, end)
  const at = skipName(bytes, from, end)
  if (at + 10 > end) throw new Malformed('record cut short')
  const type = (bytes[at] << 8) | bytes[at + 1]
  const code = (bytes[at + 2] << 8) | bytes[at + 3]
  const ttl = ((bytes[at + 4] << 24) | (bytes[at + 5] << 16) | (bytes[at + 6] << 8) | bytes[at + 7]) >>> 0
  const length = (bytes[at + 8] << 8) | bytes[at + 9]
  const data = at + 10
  if (data + length > end) throw new Malformed('record cut short')
  if (type === TYPE.OPT) {
    message.edns = readEdns(bytes, data, data + length, code, ttl)
    const extended = ((ttl >>> 24) << 4) | (bytes[start + 3] & 15)
    if (extended > 15) message.rcode = rcodeName(extended)
    return data + length
  }
  const plain = code & 0x7fff
  into.push({
    name,
    type: typeName(type),
    ...(plain === 1 ? {} : { class: className(plain) }),
    ttl,
    data: readData(type, { bytes, start, at: data, end: data + length }),
  })
  return data + length
}

function readEdns(bytes: Uint8Array, start: number, end: number, size: number, ttl: number): Edns {
  const options: { code: number; data: string }[] = []
  for (let at = start; at + 4 <= end; ) {
    const code = (bytes[at] << 8) | bytes[at + 1]
    const length = (bytes[at + 2] << 8) | bytes[at + 3]
    const stop = Math.min(end, at + 4 + length)
    options.push({ code, data: Buffer.from(bytes.subarray(at + 4, stop)).toString('hex') })
    at = stop
  }
  return {
    version: (ttl >>> 16) & 255,
    udp_size: size,
    do: (ttl & 0x8000) !== 0,
    ...(options.length > 0 ? { options } : {}),
  }
}
