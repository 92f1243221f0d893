import type { SystemCalls } from '../capture/system-calls.ts'
import { Bpf, MAP } from '../os/bpf.ts'
import { type PidNamespace, pidNamespace } from '../os/pid-namespace.ts'
import { RecordRing } from '../os/record-ring.ts'
import type { ProbePlan } from './probe-plan.ts'
import { MAX_LABEL, SECRET_RECORD } from './secret-programs.ts'

const RING_BYTES = 1 << 20

/** A secret as the kernel found it in the memory of a process. */
export interface SecretRecord {
  /** Number of the probed file. */
  readonly file: number
  /** Unix milliseconds. */
  readonly at: number
  readonly pid: number
  readonly comm: string
  readonly cgroup: bigint
  /** Undefined if the memory could not be read. */
  readonly secret?: Buffer
  readonly random: Buffer
  /** Empty if it could not be read; then it is at `labelAddress`. */
  readonly label: string
  readonly labelAddress: bigint
  readonly labelLength: number
}

/** Probes in files, and the secrets that they find. The kernel removes them when this process ends, however it ends. */
export class ProbeKernel {
  readonly #bpf: Bpf
  readonly #ring: RecordRing
  readonly #maps: { readonly records: number; readonly lost: number }
  readonly #space: PidNamespace

  private constructor(bpf: Bpf, system: SystemCalls) {
    this.#bpf = bpf
    this.#maps = {
      records: bpf.createMap(MAP.ringBuffer, 0, 0, RING_BYTES),
      lost: bpf.createMap(MAP.array, 4, 8, 1),
    }
    this.#space = pidNamespace()
    this.#ring = new RecordRing(system, this.#maps.records, RING_BYTES)
  }

  /** Throws `SystemCallError` if the kernel or the permissions do not allow it. */
  static open(system: SystemCalls): ProbeKernel {
    const bpf = new Bpf(system)
    try {
      return new ProbeKernel(bpf, system)
    } catch (error) {
      bpf.close()
      throw error
    }
  }

  /** Records lost because they arrived faster than they were read. */
  get lost(): number {
    return this.#bpf.number(this.#maps.lost)
  }

  /**
   * Probes an open file, so that what was checked is what is probed. Returns the function that removes the probes. Throws
   * `SystemCallError`.
   */
  attach(fd: number, file: number, { offsets, program }: ProbePlan): () => void {
    const machine = process.arch === 'arm64' ? 'arm64' : 'x64'
    const loaded = this.#bpf.loadProbe(program({ maps: this.#maps, space: this.#space, machine, file }))
    const opened = [loaded]
    const release = () => {
      for (const one of opened.splice(0).reverse()) this.#bpf.release(one)
    }
    try {
      for (const offset of offsets)
        opened.push(this.#bpf.attachProbe(loaded, { path: `/proc/self/fd/${fd}`, offset, isReturn: false }))
      return release
    } catch (error) {
      release()
      throw error
    }
  }

  /** Passes on the records since the last call. */
  read(take: (record: SecretRecord) => void): void {
    const toWall = Date.now() - Number(process.hrtime.bigint()) / 1e6
    this.#ring.read((data, at) => take(decode(data, at, toWall)))
  }

  close(): void {
    this.#ring.close()
    this.#bpf.close()
  }
}

function decode(data: DataView, at: number, toWall: number): SecretRecord {
  const bytes = (field: number, length: number) =>
    Buffer.from(new Uint8Array(data.buffer, data.byteOffset + at + field, length).slice())
  const number = (field: number) => data.getUint32(at + field, true)
  const isReadable = number(SECRET_RECORD.unreadable) === 0
  return {
    file: number(SECRET_RECORD.file),
    at: Number(data.getBigUint64(at + SECRET_RECORD.time, true)) / 1e6 + toWall,
    pid: number(SECRET_RECORD.pid),
    comm: textOf(bytes(SECRET_RECORD.comm, 16)),
    cgroup: data.getBigUint64(at + SECRET_RECORD.cgroup, true),
    ...(isReadable && { secret: bytes(SECRET_RECORD.secret, number(SECRET_RECORD.secretLength)) }),
    random: bytes(SECRET_RECORD.random, 32),
    label: textOf(bytes(SECRET_RECORD.label, MAX_LABEL)),
    labelAddress: data.getBigUint64(at + SECRET_RECORD.labelAddress, true),
    labelLength: number(SECRET_RECORD.labelLength),
  }
}

function textOf(bytes: Buffer): string {
  const end = bytes.indexOf(0)
  return bytes.toString('latin1', 0, end < 0 ? bytes.length : end)
}
