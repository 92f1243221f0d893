/** An address or a CIDR block: the leading `bits` of `bytes` (4 or 16 of them) count. */
export interface IpBlock {
  readonly bytes: readonly number[]
  readonly bits: number
  /** The address as RFC 5952 writes it, without the prefix length. */
  readonly text: string
}

/** Reads `10.0.0.0/8`, `10.1.2.3`, `fe80::/10`; undefined where it is neither an address nor a block. */
export function parseIpBlock(text: string): IpBlock | undefined {
  const slash = text.indexOf('/')
  const bytes = parseAddress(slash < 0 ? text : text.slice(0, slash))
  if (!bytes) return undefined
  const width = bytes.length * 8
  if (slash < 0) return { bytes, bits: width, text: writeAddress(bytes) }
  const suffix = text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(suffix) || Number(suffix) > width) return undefined
  return { bytes, bits: Number(suffix), text: writeAddress(bytes) }
}

/** Whether the address written in `text` lies in the block. Addresses of the other family never do. */
export function blockContains(block: IpBlock, text: string): boolean {
  if (block.bytes.length === 4) return v4Contains(block, text)
  if (!text.includes(':')) return false
  const bytes = parseV6(text)
  if (!bytes || bytes.length !== block.bytes.length) return false
  const whole = block.bits >> 3
  for (let at = 0; at < whole; at++) if (bytes[at] !== block.bytes[at]) return false
  const rest = block.bits & 7
  return rest === 0 || (bytes[whole] ^ block.bytes[whole]) >> (8 - rest) === 0
}

/** The common case, asked of every call: no array is made. */
function v4Contains(block: IpBlock, text: string): boolean {
  const address = v4Number(text)
  if (address < 0) return false
  const [a, b, c, d] = block.bytes
  const base = a * 0x1000000 + ((b << 16) | (c << 8) | d)
  const span = 2 ** (32 - block.bits)
  return Math.floor(address / span) === Math.floor(base / span)
}

/** The address as a number, or -1 where it is none. */
function v4Number(text: string): number {
  let value = 0
  let octet = -1
  let dots = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x2e) {
      if (octet < 0) return -1
      value = value * 256 + octet
      octet = -1
      dots++
    } else {
      if (code < 0x30 || code > 0x39 || octet === 0) return -1
      octet = octet < 0 ? code - 0x30 : octet * 10 + code - 0x30
      if (octet > 255) return -1
    }
  }
  return dots === 3 && octet >= 0 ? value * 256 + octet : -1
}

function parseAddress(text: string): number[] | undefined {
  return text.includes(':') ? parseV6(text) : parseV4(text)
}

function parseV4(text: string): number[] | undefined {
  const value = v4Number(text)
  if (value < 0) return undefined
  return [Math.floor(value / 0x1000000), (value >> 16) & 255, (value >> 8) & 255, value & 255]
}

function parseV6(text: string): number[] | undefined {
  if (text.length > 45) return undefined
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const front = groups(halves[0], halves.length === 1)
  const back = halves.length === 2 ? groups(halves[1], true) : []
  if (!front || !back) return undefined
  const missing = 16 - front.length - back.length
  if (halves.length === 2 ? missing < 2 : missing !== 0) return undefined
  return [...front, ...new Array<number>(missing).fill(0), ...back]
}

function groups(text: string, mayEndInV4: boolean): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const parts = text.split(':')
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at]
    if (part.includes('.')) {
      const v4 = mayEndInV4 && at === parts.length - 1 ? parseV4(part) : undefined
      if (!v4) return undefined
      bytes.push(...v4)
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(part)) return undefined
      const value = Number.parseInt(part, 16)
      bytes.push(value >> 8, value & 255)
    }
  }
  return bytes
}

/** RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups (the first of equals) as `::`, mapped IPv4 dotted. */
function writeAddress(bytes: readonly number[]): string {
  if (bytes.length === 4) return bytes.join('.')
  const words: number[] = []
  for (let at = 0; at < 16; at += 2) words.push((bytes[at] << 8) | bytes[at + 1])
  let best = -1
  let bestLength = 1
  for (let at = 0; at < 8; at++) {
    let end = at
    while (end < 8 && words[end] === 0) end++
    if (end - at > bestLength) {
      best = at
      bestLength = end - at
    }
    if (end > at) at = end
  }
  if (best === 0 && bestLength === 5 && words[5] === 0xffff) return `::ffff:${bytes.slice(12).join('.')}`
  const hex = words.map((word) => word.toString(16))
  if (best < 0) return hex.join(':')
  return `${hex.slice(0, best).join(':')}::${hex.slice(best + bestLength).join(':')}`
}
