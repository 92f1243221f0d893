const INTERNED = 2048
const LONGEST = 96
const interned: string[] = new Array<string>(INTERNED).fill('')
/** The same as bytes, at `LONGEST` times their slot: what is compared lies side by side, wherever the strings are. */
const internedBytes = new Uint8Array(INTERNED * LONGEST)
const internedLengths = new Uint8Array(INTERNED)
/** Of the text that came last to a slot and found another there: only one that comes twice in a row gets the slot. */
const knocked = new Int32Array(INTERNED)
/** Of a longer text about so many bytes and its last ones, where numbers stand, tell its slot; all are compared. */
const SAMPLE = 8
const TAIL = 8
/** Texts that are looked up before they are made. */
const BRIEF = 16
/** Of texts that only begin alike, this tells at once that they differ. */
const internedHashes = new Int32Array(INTERNED)
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** What `Buffer.toString` calls. Applied to any bytes, it spares a `Buffer` a text, which costs more than the text. */
const { latin1Slice, utf8Slice } = Buffer.prototype as unknown as Record<
  'latin1Slice' | 'utf8Slice',
  (this: Uint8Array, start: number, end: number) => string
>

/** One character a byte; as many as there are of those asked for. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const stop = Math.min(end, bytes.length)
  return stop <= start ? '' : latin1Slice.call(bytes, start, stop)
}

/**
 * Like `latin1`, for short texts that come again and again (methods, paths, names): the same text is the same
 * string, and costs no allocation while it stays in a small table.
 */
export function word(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start
  if (length === 0) return ''
  if (length > LONGEST) return latin1(bytes, start, end)
  let hash = length
  const tail = end - TAIL
  const step = length <= SAMPLE + TAIL ? 1 : 1 + (((length - TAIL) / SAMPLE) | 0)
  let at = start
  for (; at < tail; at += step) hash = (Math.imul(hash, 31) + bytes[at]) | 0
  for (at = Math.max(start, tail); at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]) | 0
  const slot = (hash ^ (hash >>> 15)) & (INTERNED - 1)
  const room = slot * LONGEST
  if (internedHashes[slot] === hash && internedLengths[slot] === length) {
    let i = 0
    while (i < length && internedBytes[room + i] === bytes[start + i]) i++
    if (i === length) return interned[slot]
  }
  const made = latin1(bytes, start, end)
  // Texts that never come again (keys of sessions) are not worth their room, nor the time to move in.
  if (internedLengths[slot] > 0 && knocked[slot] !== hash) {
    knocked[slot] = hash
    return made
  }
  if (made.length < length) return made
  interned[slot] = made
  internedLengths[slot] = length
  internedHashes[slot] = hash
  for (let i = 0; i < length; i++) internedBytes[room + i] = bytes[start + i]
  return made
}

/** Like `word`, in upper case. */
export function upperWord(bytes: Uint8Array, start: number, end: number): string {
  const text = word(bytes, start, end)
  for (let i = start; i < end; i++)
    if (bytes[i] > 0x7e || (bytes[i] >= 0x61 && bytes[i] <= 0x7a)) return text.toUpperCase()
  return text
}

/** Undefined where the bytes are no UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  if (isShortAscii(bytes)) return bytes.length === 0 ? '' : latin1Slice.call(bytes, 0, bytes.length)
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** A decoder costs more than most texts do. */
function isShortAscii(bytes: Uint8Array): boolean {
  const { length } = bytes
  if (length > LONGEST) return false
  for (let i = 0; i < length; i++) if (bytes[i] >= 0x80) return false
  return true
}

/** What cannot be read as UTF-8 is shown as U+FFFD. */
export function utf8Lossy(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return utf8Slice.call(bytes, start, end)
}

/** The same of what is mostly short and comes again, if it is ASCII. To look a longer text up costs more than to make it. */
export function briefText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > BRIEF) return utf8Lossy(bytes, start, end)
  for (let i = start; i < end; i++) if (bytes[i] >= 0x80) return utf8Lossy(bytes, start, end)
  return word(bytes, start, end)
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
