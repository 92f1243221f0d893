import { SystemCallError } from '../capture/system-call-error.ts'
import type { SystemCalls } from '../capture/system-calls.ts'

const PAGE = 4096
const [PROT_READ, PROT_WRITE, MAP_SHARED] = [1, 2, 1]
const BUSY = 0x8000_0000
const DISCARDED = 0x4000_0000
const HEADER = 8

/** Reads a BPF ring buffer (Documentation/bpf/ringbuf.rst): consumer page, producer page, then the records, mapped twice. */
export class RecordRing {
  readonly #system: SystemCalls
  readonly #size: number
  readonly #ours: bigint
  readonly #theirs: bigint
  readonly #consumed: BigUint64Array
  readonly #produced: BigUint64Array
  readonly #data: DataView

  constructor(system: SystemCalls, fd: number, size: number) {
    this.#system = system
    this.#size = size
    this.#ours = map(system, PAGE, PROT_READ | PROT_WRITE, fd, 0)
    this.#theirs = map(system, PAGE + 2 * size, PROT_READ, fd, PAGE)
    this.#consumed = new BigUint64Array(system.view(this.#ours, PAGE), 0, 1)
    const theirs = system.view(this.#theirs, PAGE + 2 * size)
    this.#produced = new BigUint64Array(theirs, 0, 1)
    this.#data = new DataView(theirs, PAGE)
  }

  /** Passes each available record as an offset and a length in `data`, and consumes it. */
  read(take: (data: DataView, at: number, length: number) => void): void {
    const until = Atomics.load(this.#produced, 0)
    let at = Atomics.load(this.#consumed, 0)
    while (at < until) {
      const offset = Number(at & BigInt(this.#size - 1))
      const head = this.#data.getUint32(offset, true)
      if (head & BUSY) break
      const length = head & ~(BUSY | DISCARDED)
      if (!(head & DISCARDED)) take(this.#data, offset + HEADER, length)
      at += BigInt((length + HEADER + 7) & ~7)
      Atomics.store(this.#consumed, 0, at)
    }
  }

  close(): void {
    this.#system.munmap(this.#ours, PAGE)
    this.#system.munmap(this.#theirs, PAGE + 2 * this.#size)
  }
}

function map(system: SystemCalls, length: number, protection: number, fd: number, offset: number): bigint {
  const address = system.mmap(null, length, protection, MAP_SHARED, fd, offset)
  if (BigInt.asIntN(64, address) === -1n) throw new SystemCallError('mmap', system.errno())
  return address
}
