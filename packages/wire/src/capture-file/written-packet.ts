/** A packet of a capture file that is written: `data[start, end)` was captured of `length` bytes. */
export interface WrittenPacket {
  /** Unix microseconds. */
  readonly time: number
  readonly data: Uint8Array
  readonly start: number
  readonly end: number
  readonly length: number
  /** UTF-8 of less than 64 KiB. Only pcapng has comments. */
  readonly comment?: Uint8Array | undefined
}
