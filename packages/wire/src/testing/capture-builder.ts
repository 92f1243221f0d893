import { CaptureNotes } from '../capture-file/capture-notes.ts'
import { CaptureReader } from '../capture-file/capture-reader.ts'
import type { Loss } from '../loss.ts'
import { concat } from './packet-builder.ts'

export interface SeenPacket {
  readonly bytes: string
  readonly length: number
  readonly time: number
  readonly link: number
}

/** Reads a file that is cut into chunks at `cuts`. */
export function readCapture(file: Uint8Array, cuts: readonly number[] = []) {
  const seen: SeenPacket[] = []
  const loss: Loss = {}
  const notes = new CaptureNotes()
  const reader = new CaptureReader(
    {
      packet: (data, start, end, length, time, link) =>
        seen.push({ bytes: data.slice(start, end).join(), length, time, link }),
    },
    loss,
    notes,
  )
  let at = 0
  for (const cut of [...cuts].sort((a, b) => a - b)) {
    reader.push(file.subarray(at, cut))
    at = Math.max(at, cut)
  }
  reader.push(file.subarray(at))
  reader.end()
  return { seen, loss, notes, reader }
}

/** Integers of two or four bytes in a byte order. */
export function numbers(
  little: boolean,
  ...values: readonly (readonly [size: 2 | 4, value: number])[]
): Uint8Array {
  const view = new DataView(new ArrayBuffer(values.reduce((sum, [size]) => sum + size, 0)))
  let at = 0
  for (const [size, value] of values) {
    if (size === 2) view.setUint16(at, value, little)
    else view.setUint32(at, value >>> 0, little)
    at += size
  }
  return new Uint8Array(view.buffer)
}

/** Parts of pcap and of pcapng files, byte by byte, in either byte order. */
export const pcapHeader = (little: boolean, magic: number, link = 1) =>
  numbers(little, [4, magic], [2, 2], [2, 4], [4, 0], [4, 0], [4, 65535], [4, link])

export const record = (
  little: boolean,
  seconds: number,
  fraction: number,
  data: Uint8Array,
  length = data.length,
) => concat(numbers(little, [4, seconds], [4, fraction], [4, data.length], [4, length]), data)

export const block = (little: boolean, type: number, body: Uint8Array) => {
  const size = 12 + body.length
  return concat(numbers(little, [4, type], [4, size]), body, numbers(little, [4, size]))
}

export const section = (little: boolean, ...options: readonly Uint8Array[]) =>
  block(
    little,
    0x0a0d0d0a,
    concat(numbers(little, [4, 0x1a2b3c4d], [2, 1], [2, 0], [4, -1], [4, -1]), ...options),
  )

export const option = (little: boolean, code: number, value: Uint8Array) =>
  concat(numbers(little, [2, code], [2, value.length]), value, new Uint8Array(-value.length & 3))

export const iface = (little: boolean, ...options: readonly Uint8Array[]) =>
  block(little, 1, concat(numbers(little, [2, 1], [2, 0], [4, 0]), ...options))

export const enhanced = (
  little: boolean,
  id: number,
  high: number,
  low: number,
  data: Uint8Array,
  length = data.length,
) =>
  block(
    little,
    6,
    concat(
      numbers(little, [4, id], [4, high], [4, low], [4, data.length], [4, length]),
      data,
      new Uint8Array(-data.length & 3),
    ),
  )

export const text = (value: string) => new TextEncoder().encode(value)
export const PACKET = Uint8Array.of(1, 2, 3, 4, 5)
