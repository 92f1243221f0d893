import { Malformed } from '../../malformed.ts'
import { MAX_WINDOW } from './limits.ts'

/** How wide a frame says the numbers of its header: RFC 8878 §3.1.1.1.1. */
const DICTIONARY_WIDTHS: readonly number[] = [0, 1, 2, 4]
const CONTENT_WIDTHS: readonly number[] = [0, 2, 4, 8]

export interface FrameHeader {
  readonly window: number
  /** Length of what it unpacks to, where that is said. */
  readonly content: number | undefined
  readonly checksum: boolean
}

/** Bytes of the header whose first one is `descriptor`, which counts. */
export function headerLength(descriptor: number): number {
  const single = (descriptor & 0x20) !== 0
  return 1 + (single ? 0 : 1) + DICTIONARY_WIDTHS[descriptor & 3] + contentWidth(descriptor)
}

function contentWidth(descriptor: number): number {
  const width = CONTENT_WIDTHS[descriptor >> 6]
  return width === 0 && (descriptor & 0x20) !== 0 ? 1 : width
}

export function readFrameHeader(bytes: Uint8Array, start: number): FrameHeader {
  const descriptor = bytes[start]
  if ((descriptor & 8) !== 0) throw new Malformed('zstd: a frame of a later version')
  const single = (descriptor & 0x20) !== 0
  let at = start + 1
  const said = single ? 0 : windowSize(bytes[at++])
  const dictionary = DICTIONARY_WIDTHS[descriptor & 3]
  if (little(bytes, at, dictionary) !== 0)
    throw new Malformed('zstd: it needs a dictionary, which is not supported')
  at += dictionary
  const width = contentWidth(descriptor)
  const content = width === 0 ? undefined : little(bytes, at, width) + (width === 2 ? 256 : 0)
  const window = single ? (content ?? 0) : said
  if (window > MAX_WINDOW)
    throw new Malformed(
      `zstd: it needs a window of ${Math.ceil(window / 2 ** 20)} MiB, more than the ${MAX_WINDOW / 2 ** 20} MiB that are read`,
    )
  return { window, content, checksum: (descriptor & 4) !== 0 }
}

function windowSize(byte: number): number {
  const base = 2 ** (10 + (byte >> 3))
  return base + (base / 8) * (byte & 7)
}

function little(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i]
  return value
}
