import { staticNameLengths, staticStarts, staticText } from './static-table.ts'

/** Names that the stream reader uses. */
export const NAME = {
  other: 0,
  method: 1,
  path: 2,
  status: 3,
  pseudo: 4,
  contentType: 5,
  unknown: 6,
} as const

const COLON = 0x3a

const WELL_KNOWN: readonly (readonly [text: string, name: number])[] = [
  [':method', NAME.method],
  [':path', NAME.path],
  [':status', NAME.status],
  ['content-type', NAME.contentType],
]

export function nameOf(bytes: Uint8Array, start: number, length: number): number {
  const first = bytes[start]
  if (first !== COLON && first !== 0x63) return NAME.other
  for (const [text, name] of WELL_KNOWN) if (equals(bytes, start, length, text)) return name
  return first === COLON ? NAME.pseudo : NAME.other
}

/** Tells names apart well enough to compare the names of one block with those of another. */
export function hashName(bytes: Uint8Array, start: number, length: number): number {
  let hash = length
  for (let i = 0; i < length; i++) hash = (Math.imul(hash, 31) + bytes[start + i]) | 0
  return hash
}

export const staticNames = staticStarts.map((start, index) =>
  nameOf(staticText.bytes, start, staticNameLengths[index]),
)
export const staticHashes = staticStarts.map((start, index) =>
  hashName(staticText.bytes, start, staticNameLengths[index]),
)

function equals(bytes: Uint8Array, start: number, length: number, text: string): boolean {
  if (length !== text.length) return false
  for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false
  return true
}
