import { base64, utf8Lossy } from '../../text/text.ts'
import type { AvpReader } from './avp.ts'
import { avpKind, avpName } from './dictionary.ts'
import { uint32 } from './frame.ts'

const MAX_DEPTH = 8
/** Seconds from the epoch of NTP to that of Unix: RFC 6733 §4.3.1. */
const NTP = 2_208_988_800

export type Value = string | number | Values | readonly Value[]
export interface Values {
  readonly [name: string]: Value
}

/** Pairs by name; a list if one occurs several times. */
export function readAvps(avps: AvpReader, depth = 0): Values {
  const all = new Map<string, Value[]>()
  while (avps.next()) {
    const name = avpName(avps.code, avps.vendor)
    const value = readValue(avps, depth)
    const before = all.get(name)
    if (before === undefined) all.set(name, [value])
    else before.push(value)
  }
  return Object.fromEntries(
    [...all].map(([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
}

/** What does not have the size of its kind is shown as base64. */
function readValue(avps: AvpReader, depth: number): Value {
  const content = avps.content()
  const { length } = content
  switch (avpKind(avps.code, avps.vendor)) {
    case 'secret':
      return '***'
    case 'text':
      return utf8Lossy(content)
    case 'grouped':
      return depth < MAX_DEPTH ? readAvps(avps.inside(), depth + 1) : base64(content)
    case 'number':
      return length === 4 ? uint32(content, 0) : base64(content)
    case 'long':
      return length === 8 ? uint32(content, 0) * 0x100000000 + uint32(content, 4) : base64(content)
    case 'time':
      return length === 4 ? new Date((uint32(content, 0) - NTP) * 1000).toISOString() : base64(content)
    case 'ip':
      return length === 4 ? content.join('.') : base64(content)
    case 'address':
      return address(content)
    default:
      return unknown(content)
  }
}

/** The family in two bytes, then the address: RFC 6733 §4.3.1. */
function address(content: Uint8Array): string {
  if (content.length === 6 && content[1] === 1) return content.subarray(2).join('.')
  if (content.length !== 18 || content[1] !== 2) return base64(content)
  const groups = Array.from({ length: 8 }, (_, i) => (content[2 + 2 * i] << 8) | content[3 + 2 * i])
  return groups.map((group) => group.toString(16)).join(':')
}

function unknown(content: Uint8Array): string {
  for (const byte of content) if (byte < 0x20 || byte > 0x7e) return base64(content)
  return utf8Lossy(content)
}
