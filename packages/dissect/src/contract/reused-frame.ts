import type { Frame } from './dissector.ts'

/** A frame object that is reused for every frame. Read it before the call returns. */
export class ReusedFrame implements Frame {
  bytes: Uint8Array = new Uint8Array(0)
  start = 0
  end = 0
  length = 0
  unsent = 0
  time = 0
  endTime = 0

  set(bytes: Uint8Array, start: number, end: number, length: number, time: number, endTime: number): void {
    // Skip redundant stores: each costs a GC write barrier.
    if (this.bytes !== bytes) this.bytes = bytes
    this.start = start
    this.end = end
    this.length = length
    this.unsent = 0
    this.time = time
    this.endTime = endTime
  }

  /** A part of a frame that is complete in its bytes. */
  cut({ bytes, time, endTime }: Frame, start: number, end: number): void {
    this.set(bytes, start, end, end - start, time, endTime)
  }
}
