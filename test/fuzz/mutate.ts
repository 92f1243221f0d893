import { ETHERNET } from '@tapdeck/wire/testing'
import { capturedTwice } from './captured-twice.ts'
import type { Input, StreamInput, Turn } from './input.ts'

/** Lengths and counts that parsers trip over. */
const EDGES = [0, 1, 2, 3, 4, 5, 8, 13, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x4000, 0x7fff, 0x8000, 0xffff]
const WIDE_EDGES = [...EDGES, 0x10000, 0xffffff, 0x1000000, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]
const WORDS = [
  '\r\n',
  '\r\n\r\n',
  '0',
  '-1',
  '99999999999',
  ' ',
  '\0',
  '"',
  '{',
  ':',
  '$-1\r\n',
  '*1000000\r\n',
]
const MAX_TURNS = 60
const MAX_BYTES = 16 * 1024

type Random = () => number

/** One to six changes, of the kinds that lost, damaged or hostile traffic shows. `other` lends parts. */
export function mutate(input: Input, other: Input, random: Random): Input {
  const below = (limit: number) => Math.floor(random() * limit)
  let changed = input
  for (let left = 1 + below(1 + below(6)); left > 0; left--) changed = change(changed, other, below)
  return changed
}

type Below = (limit: number) => number

function change(input: Input, other: Input, below: Below): Input {
  if (input.door === 'file') return { ...input, bytes: damage(input.bytes, bytesOf(other, below), below) }
  if (input.door === 'stream') return changeTurns(input, other, below)
  const packets = [...input.packets]
  if (packets.length === 0) return input
  const at = below(packets.length)
  const fate = below(14)
  if (fate === 0) packets.splice(at, 1)
  else if (fate === 1) packets.splice(below(packets.length), 0, packets[at])
  else if (fate === 2) packets.reverse()
  else if (fate === 3) packets.splice(at + 1, 0, packets[at])
  else if (fate < 7 && input.link === ETHERNET)
    return { ...input, packets: capturedTwice(packets, below).slice(0, MAX_TURNS) }
  else packets[at] = damage(packets[at], bytesOf(other, below), below)
  return { ...input, packets: packets.slice(0, MAX_TURNS) }
}

function changeTurns(input: StreamInput, other: Input, below: Below): Input {
  const turns = [...input.turns]
  if (turns.length === 0) return input
  const at = below(turns.length)
  const turn = turns[at]
  const fate = below(24)
  if (fate === 0) turns.splice(at, 1)
  else if (fate === 1) turns.splice(below(turns.length), 0, turn)
  else if (fate === 2) turns[at] = { ...turn, side: turn.side === 0 ? 1 : 0 }
  else if (fate === 3) turns[at] = { ...turn, kind: 'gap', length: 1 + below(5000), bytes: new Uint8Array(0) }
  else if (fate === 4) turns[at] = { ...turn, at: turn.at + below(200_000_000) }
  else if (fate === 5) turns.splice(at, 0, { ...turn, kind: 'finish', bytes: new Uint8Array(0) })
  else if (fate === 6) turns.splice(at, 1, ...cut(turn, below))
  else if (fate === 7 && other.door === 'stream') turns.splice(at, 0, ...other.turns.slice(below(8)))
  else if (fate === 8) return { ...input, midstream: !input.midstream, turns: turns.slice(at) }
  else if (fate === 9) return { ...input, ports: [input.ports[1], input.ports[0]] }
  else turns[at] = { ...turn, bytes: damage(turn.bytes, bytesOf(other, below), below) }
  return { ...input, turns: turns.slice(0, MAX_TURNS) }
}

/** The same bytes in two packets. */
function cut(turn: Turn, below: Below): Turn[] {
  const at = below(turn.bytes.length + 1)
  return [
    { ...turn, bytes: turn.bytes.subarray(0, at) },
    { ...turn, bytes: turn.bytes.subarray(at) },
  ]
}

function bytesOf(input: Input, below: Below): Uint8Array {
  if (input.door === 'file') return input.bytes
  if (input.door === 'packets') return input.packets[below(input.packets.length)] ?? new Uint8Array(0)
  return input.turns[below(input.turns.length)]?.bytes ?? new Uint8Array(0)
}

function damage(bytes: Uint8Array, lender: Uint8Array, below: Below): Uint8Array {
  if (bytes.length === 0) return lender.slice(0, 64)
  const at = below(bytes.length)
  const fate = below(12)
  if (fate === 0) return bytes.slice(0, at)
  if (fate === 1) return bytes.slice(at)
  if (fate === 2) return without(bytes, at, 1 + below(16))
  if (fate === 3)
    return spliced(bytes, at, lender.subarray(below(lender.length + 1)).subarray(0, 1 + below(200)))
  if (fate === 4)
    return spliced(
      bytes,
      at,
      Uint8Array.from({ length: 1 + below(64) }, () => below(256)),
    )
  if (fate === 5) return spliced(bytes, at, Buffer.from(WORDS[below(WORDS.length)]))
  if (fate === 6) return spliced(bytes, at, bytes.subarray(below(bytes.length), at + below(300)))
  const copy = bytes.slice()
  if (fate === 7) copy[at] ^= 1 << below(8)
  else if (fate === 8) copy[at] = EDGES[below(EDGES.length)]
  else if (fate === 9) put(copy, at, 2, EDGES[below(EDGES.length)], below(2) === 0)
  else if (fate === 10) put(copy, at, 4, WIDE_EDGES[below(WIDE_EDGES.length)], below(2) === 0)
  else for (let i = 1 + below(8); i > 0; i--) copy[below(copy.length)] = below(256)
  return copy
}

function without(bytes: Uint8Array, at: number, count: number): Uint8Array {
  const rest = bytes.subarray(at + count)
  const kept = bytes.slice(0, at + rest.length)
  kept.set(rest, at)
  return kept
}

function spliced(bytes: Uint8Array, at: number, part: Uint8Array): Uint8Array {
  const joined = new Uint8Array(bytes.length + part.length)
  joined.set(bytes.subarray(0, at))
  joined.set(part, at)
  joined.set(bytes.subarray(at), at + part.length)
  return joined.subarray(0, MAX_BYTES)
}

function put(bytes: Uint8Array, at: number, size: number, value: number, bigEnd: boolean): void {
  for (let i = 0; i < size && at + i < bytes.length; i++)
    bytes[at + i] = value >>> (8 * (bigEnd ? size - 1 - i : i))
}
