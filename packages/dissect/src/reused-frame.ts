import type { Frame } from './dissector.ts'

/** A frame that is used again for the next one: whoever is given it reads it at once. */
export class ReusedFrame implements Frame {
  bytes: Uint8Array = new Uint8Array(0)
  start = 0
  end = 0
  length = 0
  unsent = 0
  time = 0
  endTime = 0

  set(bytes: Uint8Array, start: number, end: number, length: number, time: number, endTime: number): void {
    // The collector is told of each pointer that is stored, the same or not.
    if (this.bytes !== bytes) this.bytes = bytes
    this.start = start
    this.end = end
    this.length = length
    this.unsent = 0
    this.time = time
    this.endTime = endTime
  }

  /** A stretch of a frame that stands whole in its bytes. */
  cut({ bytes, time, endTime }: Frame, start: number, end: number): void {
    this.set(bytes, start, end, end - start, time, endTime)
  }
}
