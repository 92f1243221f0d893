import type { RecordedBytes } from '@tapdeck/tls/testing'

type Random = () => number

/** Damages the bytes of a connection in one to four places. `other`: a connection that parts are taken from. */
export function mutateConnection(
  bytes: readonly RecordedBytes[],
  other: readonly RecordedBytes[],
  random: Random,
): RecordedBytes[] {
  let parts = bytes.map((part) => ({ ...part }))
  for (let changes = 1 + below(4, random); changes > 0; changes--) {
    const change = CHANGES[below(CHANGES.length, random)]!
    parts = change(parts, below(Math.max(1, parts.length), random), random, other)
    if (parts.length === 0) return bytes.slice(0, 1)
  }
  return parts
}

type Change = (
  parts: RecordedBytes[],
  at: number,
  random: Random,
  other: readonly RecordedBytes[],
) => RecordedBytes[]

/** Where records begin, a changed length or type does most harm. */
const CHANGES: readonly Change[] = [
  (parts, at, random) => edited(parts, at, (bytes) => flip(bytes, below(bytes.length, random), random)),
  (parts, at, random) => edited(parts, at, (bytes) => flip(bytes, recordStart(bytes, random), random)),
  (parts, at, random) =>
    edited(parts, at, (bytes) =>
      setUint16(bytes, recordStart(bytes, random) + 3, LENGTHS[below(6, random)]!),
    ),
  (parts, at, random) =>
    edited(parts, at, (bytes) =>
      setUint16(bytes, recordStart(bytes, random) + 7, LENGTHS[below(6, random)]!),
    ),
  (parts, at, random) => edited(parts, at, (bytes) => bytes.subarray(0, below(bytes.length, random))),
  (parts, at, random) => edited(parts, at, (bytes) => bytes.subarray(below(bytes.length, random))),
  (parts, at, random) =>
    edited(parts, at, (bytes) => Buffer.concat([bytes, noise(below(400, random), random)])),
  (parts, at) => parts.toSpliced(at, 1),
  (parts, at) => parts.toSpliced(at, 0, parts[at]!),
  (parts, at, random) => parts.toSpliced(below(parts.length, random), 0, ...parts.splice(at, 1)),
  (parts, at, random, other) => parts.toSpliced(at, 1, other[below(other.length, random)]!),
  (parts, at, random, other) => [...parts.slice(0, at), ...other.slice(below(other.length, random))],
  (parts, at) => parts.with(at, { ...parts[at]!, side: parts[at]!.side === 0 ? 1 : 0 }),
]
const LENGTHS = [0, 1, 16, 16_641, 0x7fff, 0xffff]

/** Damages a key log: lines of another connection, secrets of other lengths, noise. */
export function mutateKeyLog(text: string, other: string, random: Random): string {
  const lines = text.split('\n')
  const at = below(lines.length, random)
  const line = lines[at]!
  const otherLines = other.split('\n')
  const strange = otherLines[below(otherLines.length, random)]!
  switch (below(8, random)) {
    case 0:
      return lines.toSpliced(at, 1).join('\n')
    case 1:
      return lines.with(at, line.slice(0, below(line.length + 1, random))).join('\n')
    case 2:
      // The random of one connection with the secret of another.
      return lines.with(at, [...line.split(' ').slice(0, 2), strange.split(' ')[2]].join(' ')).join('\n')
    case 3:
      return lines.with(at, [strange.split(' ')[0], ...line.split(' ').slice(1)].join(' ')).join('\n')
    case 4:
      return `${'a'.repeat(below(200_000, random))}\n${text}`
    case 5:
      return noise(below(5000, random), random).toString('latin1') + text
    case 6:
      return lines.toReversed().join('\r\n')
    default:
      return other
  }
}

/** Loses, repeats and swaps packets after the handshake of TCP. */
export function mutatePackets<Packet extends { readonly time: number }>(
  packets: readonly Packet[],
  random: Random,
): Packet[] {
  const changed = [...packets]
  for (let changes = 1 + below(4, random); changes > 0 && changed.length > 6; changes--) {
    const at = 3 + below(changed.length - 5, random)
    const [one, next] = [changed[at]!, changed[at + 1]!]
    const kind = below(3, random)
    if (kind === 0) changed.splice(at, 1 + below(3, random))
    else if (kind === 1) changed.splice(at, 0, one)
    else changed.splice(at, 2, { ...next, time: one.time }, { ...one, time: next.time })
  }
  return changed
}

function edited(parts: RecordedBytes[], at: number, edit: (bytes: Buffer) => Buffer): RecordedBytes[] {
  const part = parts[at]
  if (part === undefined || part.bytes.length === 0) return parts
  return parts.with(at, { ...part, bytes: edit(Buffer.from(part.bytes)) })
}

/** The start of one of the records. */
function recordStart(bytes: Buffer, random: Random): number {
  let at = 0
  for (let records = below(6, random); records > 0; records--) {
    const next = at + 5 + (at + 5 <= bytes.length ? bytes.readUInt16BE(at + 3) : 0)
    if (next >= bytes.length) break
    at = next
  }
  return at
}

function flip(bytes: Buffer, at: number, random: Random): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ (1 + below(255, random))
  return bytes
}

function setUint16(bytes: Buffer, at: number, value: number): Buffer {
  if (at + 2 <= bytes.length) bytes.writeUInt16BE(value, at)
  return bytes
}

function noise(length: number, random: Random): Buffer {
  return Buffer.from(Uint8Array.from({ length }, () => below(256, random)))
}

function below(limit: number, random: Random): number {
  return Math.floor(random() * limit)
}
