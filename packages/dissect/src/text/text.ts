const SLOTS = 2048
const MAX_INTERNED = 96
const interned: string[] = new Array<string>(SLOTS).fill('')
/** The bytes of each slot, contiguous: comparing them touches no string. */
const internedBytes = new Uint8Array(SLOTS * MAX_INTERNED)
const internedLengths = new Uint8Array(SLOTS)
/** Hash of the last text that missed its slot. It takes the slot only if it comes twice in a row. */
const candidateHashes = new Int32Array(SLOTS)
/** Number of sampled bytes, and of last bytes (where numbers are), that select the slot. The whole text is compared. */
const HASH_SAMPLES = 8
const HASH_TAIL = 8
/** Longer texts are decoded without a lookup. */
const MAX_BRIEF = 16
/** Rejects most texts that only share a slot. */
const internedHashes = new Int32Array(SLOTS)
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The native methods behind `Buffer.toString`, called without creating a `Buffer`, which costs more than the text. */
const { latin1Slice, utf8Slice } = Buffer.prototype as unknown as Record<
  'latin1Slice' | 'utf8Slice',
  (this: Uint8Array, start: number, end: number) => string
>

/** One character per byte. `end` may be beyond the last byte. */
export function latin1(bytes: Uint8Array, start = 0, end = bytes.length): string {
  const stop = Math.min(end, bytes.length)
  return stop <= start ? '' : latin1Slice.call(bytes, start, stop)
}

/**
 * Like `latin1`, for short texts that recur (methods, paths, names): returns the same string without an allocation
 * while it is in a small table.
 */
export function word(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start
  if (length === 0) return ''
  if (length > MAX_INTERNED) return latin1(bytes, start, end)
  let hash = length
  const tail = end - HASH_TAIL
  const step = length <= HASH_SAMPLES + HASH_TAIL ? 1 : 1 + (((length - HASH_TAIL) / HASH_SAMPLES) | 0)
  let at = start
  for (; at < tail; at += step) hash = (Math.imul(hash, 31) + bytes[at]) | 0
  for (at = Math.max(start, tail); at < end; at++) hash = (Math.imul(hash, 31) + bytes[at]) | 0
  const slot = (hash ^ (hash >>> 15)) & (SLOTS - 1)
  const offset = slot * MAX_INTERNED
  if (internedHashes[slot] === hash && internedLengths[slot] === length) {
    let i = 0
    while (i < length && internedBytes[offset + i] === bytes[start + i]) i++
    if (i === length) return interned[slot]
  }
  const made = latin1(bytes, start, end)
  // Texts that never recur (session keys) are not worth a slot.
  if (internedLengths[slot] > 0 && candidateHashes[slot] !== hash) {
    candidateHashes[slot] = hash
    return made
  }
  if (made.length < length) return made
  interned[slot] = made
  internedLengths[slot] = length
  internedHashes[slot] = hash
  for (let i = 0; i < length; i++) internedBytes[offset + i] = bytes[start + i]
  return made
}

/** Like `word`, in upper case. */
export function upperWord(bytes: Uint8Array, start: number, end: number): string {
  const text = word(bytes, start, end)
  for (let i = start; i < end; i++)
    if (bytes[i] > 0x7e || (bytes[i] >= 0x61 && bytes[i] <= 0x7a)) return text.toUpperCase()
  return text
}

/** Undefined if the bytes are not UTF-8. */
export function utf8(bytes: Uint8Array): string | undefined {
  if (isShortAscii(bytes)) return bytes.length === 0 ? '' : latin1Slice.call(bytes, 0, bytes.length)
  try {
    return decoder.decode(bytes)
  } catch {
    return undefined
  }
}

/** The decoder costs more than most texts. */
function isShortAscii(bytes: Uint8Array): boolean {
  const { length } = bytes
  if (length > MAX_INTERNED) return false
  for (let i = 0; i < length; i++) if (bytes[i] >= 0x80) return false
  return true
}

/** Invalid UTF-8 becomes U+FFFD. */
export function utf8Lossy(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return utf8Slice.call(bytes, start, end)
}

/** Like `utf8Lossy`, with a lookup for short ASCII. Looking up a longer text costs more than decoding it. */
export function briefText(bytes: Uint8Array, start: number, end: number): string {
  if (end - start > MAX_BRIEF) return utf8Lossy(bytes, start, end)
  for (let i = start; i < end; i++) if (bytes[i] >= 0x80) return utf8Lossy(bytes, start, end)
  return word(bytes, start, end)
}

export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
}
