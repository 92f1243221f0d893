/** RFC 7541 Appendix B as far as ASCII goes: symbols of each length in order; the code follows from that. */
const SYMBOLS: readonly (readonly [bits: number, symbols: string])[] = [
  [5, '012aceiost'],
  [6, ' %-./3456789=A_bdfghlmnpru'],
  [7, ':BCDEFGHIJKLMNOPQRSTUVWYjkqvwxyz'],
  [8, '&*,;XZ'],
  [10, '!"()?'],
  [11, "'+|"],
  [12, '#>'],
  [13, '\0$@[]~'],
  [14, '^}'],
  [15, '<`{'],
]
const CODES = new Map<string, readonly [code: number, bits: number]>()
let code = 0
let length = 5
for (const [bits, symbols] of SYMBOLS) {
  code <<= bits - length
  length = bits
  for (const symbol of symbols) CODES.set(symbol, [code++, bits])
}

/** Entries of the static table that the workload uses (Appendix A). */
const STATIC: Readonly<Record<string, number>> = {
  ':authority': 1,
  ':method: GET': 2,
  ':method: POST': 3,
  ':path': 4,
  ':scheme: http': 6,
  ':status': 8,
  ':status: 200': 8,
  ':status: 404': 13,
  ':status: 500': 14,
  accept: 19,
  'accept-encoding: gzip, deflate': 16,
  'cache-control': 24,
  'content-length': 28,
  'content-type': 31,
  date: 33,
  etag: 34,
  server: 54,
  'user-agent': 58,
}
const STATIC_SIZE = 61
const TABLE = 4096
/** What nghttp2 does not put into the table: it seldom comes again. */
const ONCE = new Set([':path', 'content-length', 'etag', 'age', 'location', 'set-cookie'])

/** Header blocks of one direction of a connection, as a common encoder writes them. */
export class HpackEncoder {
  /** The youngest first. */
  readonly #entries: string[] = []
  #size = 0

  encode(headers: readonly (readonly [name: string, value: string])[]): number[] {
    return headers.flatMap(([name, value]) => this.#field(name, value))
  }

  #field(name: string, value: string): number[] {
    const whole = `${name}: ${value}`
    const known = STATIC[whole] ?? this.#find((entry) => entry === whole)
    if (known !== undefined) return integer(known, 7, 0x80)
    const named = STATIC[name] ?? this.#find((entry) => entry.startsWith(`${name}: `)) ?? 0
    const once = ONCE.has(name)
    if (!once) this.#insert(whole)
    return [
      ...integer(named, once ? 4 : 6, once ? 0 : 0x40),
      ...(named === 0 ? text(name) : []),
      ...text(value),
    ]
  }

  #find(matches: (entry: string) => boolean): number | undefined {
    const at = this.#entries.findIndex(matches)
    return at < 0 ? undefined : STATIC_SIZE + 1 + at
  }

  #insert(entry: string): void {
    // 32 for each entry, and without the colon and blank between name and value (section 4.1).
    this.#size += entry.length + 30
    this.#entries.unshift(entry)
    while (this.#size > TABLE) this.#size -= (this.#entries.pop()?.length ?? 0) + 30
  }
}

function integer(value: number, prefix: number, flags: number): number[] {
  const most = (1 << prefix) - 1
  if (value < most) return [flags | value]
  const bytes = [flags | most]
  let rest = value - most
  for (; rest > 127; rest >>= 7) bytes.push((rest & 127) | 128)
  bytes.push(rest)
  return bytes
}

function text(value: string): number[] {
  const packed: number[] = []
  let held = 0
  let bits = 0
  for (const symbol of value) {
    const [symbolCode, size] = CODES.get(symbol) ?? [0, 0]
    held = (held << size) | symbolCode
    bits += size
    for (; bits >= 8; bits -= 8) packed.push((held >> (bits - 8)) & 255)
    held &= 255
  }
  if (bits > 0) packed.push(((held << (8 - bits)) & 255) | (255 >> bits))
  return [...integer(packed.length, 7, 0x80), ...packed]
}
