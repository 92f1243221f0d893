import { closeSync, openSync, writeSync } from 'node:fs'
import { pcapHeader, pcapRecord } from '@tapdeck/wire'

const CHUNK = 4 * 1024 * 1024
const LARGEST = 70_000
/** Between two packets, microseconds: 50,000 packets a second. */
const STEP = 20

/** A pcap on disk, written packet by packet. */
export class CaptureFile {
  bytes = 0
  packets = 0
  time = 1_700_000_000_000_000
  readonly #file: number
  readonly #chunk = Buffer.alloc(CHUNK)
  #used = 0

  constructor(path: string) {
    this.#file = openSync(path, 'w')
    this.#used = pcapHeader(this.#chunk, 0, 1)
  }

  packet(frame: Uint8Array, length: number): void {
    if (this.#used + LARGEST > CHUNK) this.#flush()
    const before = this.#used
    this.#used = pcapRecord(this.#chunk, before, {
      time: this.time,
      data: frame,
      start: 0,
      end: length,
      length,
    })
    this.bytes += this.#used - before
    this.packets++
    this.time += STEP
  }

  close(): void {
    this.#flush()
    closeSync(this.#file)
  }

  #flush(): void {
    writeSync(this.#file, this.#chunk, 0, this.#used)
    this.#used = 0
  }
}
