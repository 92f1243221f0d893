import type { SystemCalls } from '../capture/system-calls.ts'
import { Bpf, MAP } from '../os/bpf.ts'
import { type PidNamespace, pidNamespace } from '../os/pid-namespace.ts'
import { RecordRing } from '../os/record-ring.ts'
import type { ProbePlan, ProbeRecord } from './probe-plan.ts'
import { PROBE_RECORD, type ProbeMaps } from './secret-programs.ts'

const RING_BYTES = 1 << 20
const MAX_CALLS = 16_384

export interface AttachedProbes {
  readonly count: number
  /** Removes them. */
  release(): void
}

/** Probes in files, and the secrets that they find. The kernel removes them when this process ends, however it ends. */
export class ProbeKernel {
  readonly #bpf: Bpf
  readonly #ring: RecordRing
  readonly #maps: ProbeMaps
  readonly #space: PidNamespace

  private constructor(bpf: Bpf, system: SystemCalls) {
    this.#bpf = bpf
    this.#maps = {
      records: bpf.createMap(MAP.ringBuffer, 0, 0, RING_BYTES),
      calls: bpf.createMap(MAP.lruHash, 8, 8, MAX_CALLS),
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
   * Probes an open file, so that what was checked is what is probed. Throws `SystemCallError`.
   */
  attach(fd: number, file: number, plan: ProbePlan): AttachedProbes {
    const machine = process.arch === 'arm64' ? 'arm64' : 'x64'
    const opened: number[] = []
    const release = () => {
      for (const one of opened.splice(0).reverse()) this.#bpf.release(one)
    }
    try {
      const probes = plan.probes({ maps: this.#maps, space: this.#space, machine, file })
      for (const probe of probes) {
        const { offset, isReturn } = probe
        const program = this.#bpf.loadProbe(probe.program)
        opened.push(program)
        opened.push(this.#bpf.attachProbe(program, { path: `/proc/self/fd/${fd}`, offset, isReturn }))
      }
      return { count: probes.length, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Passes on the records since the last call. */
  read(take: (record: ProbeRecord) => void): void {
    const toWall = Date.now() - Number(process.hrtime.bigint()) / 1e6
    this.#ring.read((data, at, length) => {
      if (length >= PROBE_RECORD.body) take(decode(data, at, length, toWall))
    })
  }

  close(): void {
    this.#ring.close()
    this.#bpf.close()
  }
}

function decode(data: DataView, at: number, length: number, toWall: number): ProbeRecord {
  const bytes = Buffer.from(new Uint8Array(data.buffer, data.byteOffset + at, length))
  const comm = bytes.subarray(PROBE_RECORD.comm, PROBE_RECORD.cgroup)
  const end = comm.indexOf(0)
  return {
    file: bytes.readUInt32LE(PROBE_RECORD.file),
    at: Number(bytes.readBigUInt64LE(PROBE_RECORD.time)) / 1e6 + toWall,
    pid: bytes.readUInt32LE(PROBE_RECORD.pid),
    comm: comm.toString('latin1', 0, end < 0 ? comm.length : end),
    cgroup: bytes.readBigUInt64LE(PROBE_RECORD.cgroup),
    isReadable: bytes.readUInt32LE(PROBE_RECORD.unreadable) === 0,
    bytes,
  }
}
