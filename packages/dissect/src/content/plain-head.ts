const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const COLON = 0x3a
/** More fields than this are read the long way. */
const MOST = 96

/** Fields that are looked at by name. */
const KNOWN = ['host', ':authority', 'cookie', 'set-cookie', 'content-encoding', 'content-type'] as const
export type KnownField = (typeof KNOWN)[number]

/**
 * Where the fields of a head stand in its bytes, where that is all there is to say of them: printable characters, no
 * folded line, no name twice, and none that an object would move to its front. That is so in nearly all heads.
 */
export class PlainHead {
  count = 0
  /** Where the first line ends. */
  lineEnd = 0
  /** Of each field: name and value, from where to where. */
  readonly places = new Int32Array(MOST * 4)
  readonly #hashes = new Int32Array(MOST)
  readonly #known = new Int32Array(KNOWN.length)

  /** False where it takes more: see `readHead`. */
  read(head: Uint8Array): boolean {
    const { length } = head
    this.count = 0
    this.#known.fill(-1)
    let at = 0
    while (at < length && isPrintable(head[at])) at++
    this.lineEnd = at
    while (at < length) {
      if (head[at] !== CR || head[at + 1] !== LF) return false
      at += 2
      if (at >= length || head[at] === CR) continue
      at = this.#field(head, at)
      if (at < 0) return false
    }
    return true
  }

  /** The place of a field that was looked for, in `places`; -1 where there is none. */
  find(name: KnownField): number {
    return this.#known[KNOWN.indexOf(name)]
  }

  /** Where the line ends, -1 where it is no plain field. */
  #field(head: Uint8Array, start: number): number {
    const { length } = head
    const first = head[start]
    if (this.count === MOST || !isPrintable(first) || first === SPACE || isDigit(first)) return -1
    let at = start + 1
    let hash = Math.imul(small(first), 31)
    // HTTP/2 pseudo-header fields begin with the colon.
    for (; at < length && head[at] !== COLON; at++) {
      if (!isPrintable(head[at])) return -1
      hash = Math.imul(hash + small(head[at]), 31)
    }
    if (at >= length || head[at - 1] === SPACE) return -1
    const { count, places } = this
    for (let i = 0; i < count; i++) if (this.#hashes[i] === hash) return -1
    const nameEnd = at++
    while (at < length && head[at] === SPACE) at++
    const value = at
    while (at < length && isPrintable(head[at])) at++
    let valueEnd = at
    while (valueEnd > value && head[valueEnd - 1] === SPACE) valueEnd--
    const place = count * 4
    places[place] = start
    places[place + 1] = nameEnd
    places[place + 2] = value
    places[place + 3] = valueEnd
    this.#hashes[count] = hash
    this.count = count + 1
    const known = HASHES.indexOf(hash)
    if (known >= 0 && isNamed(head, start, nameEnd, KNOWN[known])) this.#known[known] = place
    return at
  }
}

const HASHES = KNOWN.map((name) => {
  let hash = 0
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash + name.charCodeAt(i), 31)
  return hash
})

function isNamed(head: Uint8Array, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false
  for (let i = start; i < end; i++) if (small(head[i]) !== name.charCodeAt(i - start)) return false
  return true
}

function isPrintable(byte: number): boolean {
  return byte >= SPACE && byte < 0x7f
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function small(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
}
