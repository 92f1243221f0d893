import { formatHostIp, formatIPv4 } from '@tapdeck/ip'
import type { SystemCalls } from '../capture/system-calls.ts'
import { Bpf, MAP } from './bpf.ts'
import { exitCodeOffset } from './exit-code-offset.ts'
import { pidNamespace } from './pid-namespace.ts'
import { RecordRing } from './record-ring.ts'
import { execProgram, exitProgram, RECORD, socketProgram, type WatchMaps, WHAT } from './watch-programs.ts'

const RING_BYTES = 1 << 20
const MAX_CONNECTING = 16_384
const AF_INET6 = 10

export interface KernelRecord {
  readonly what: 'exec' | 'exit' | 'connect' | 'listen'
  /** Unix milliseconds. */
  readonly ts: number
  readonly pid: number
  readonly uid: number
  readonly comm: string
  /** As returned by `wait`: the signal in the lowest 7 bits, the status from bit 8 on. */
  readonly exitCode?: number
  readonly local?: { readonly ip: string; readonly port: number }
  readonly remote?: { readonly ip: string; readonly port: number }
}

const names = new Map<number, KernelRecord['what']>(
  Object.entries(WHAT).map(([name, number]) => [number, name as KernelRecord['what']]),
)

/** Events of processes, reported by eBPF programs at kernel tracepoints. */
export class KernelWatch {
  readonly #bpf: Bpf
  readonly #ring: RecordRing
  readonly #maps: WatchMaps
  readonly #hasExitCode: boolean

  private constructor(bpf: Bpf, system: SystemCalls, withSockets: boolean) {
    this.#bpf = bpf
    this.#maps = {
      records: bpf.createMap(MAP.ringBuffer, 0, 0, RING_BYTES),
      connecting: bpf.createMap(MAP.lruHash, 8, RECORD.bytes, MAX_CONNECTING),
      lost: bpf.createMap(MAP.array, 4, 8, 1),
    }
    this.#ring = new RecordRing(system, this.#maps.records, RING_BYTES)
    const space = pidNamespace()
    const exitCode = exitCodeOffset()
    this.#hasExitCode = exitCode !== undefined
    bpf.attach('sched_process_exec', execProgram(this.#maps, space))
    bpf.attach('sched_process_exit', exitProgram(this.#maps, space, exitCode))
    if (withSockets) bpf.attach('inet_sock_set_state', socketProgram(this.#maps, space))
  }

  /** Without sockets, only starts and ends of processes are reported. Throws if the kernel or the permissions do not allow it. */
  static open(system: SystemCalls, { withSockets = true } = {}): KernelWatch {
    const bpf = new Bpf(system)
    try {
      return new KernelWatch(bpf, system, withSockets)
    } catch (error) {
      bpf.close()
      throw error
    }
  }

  /** Records lost because they arrived faster than they were read. */
  get lost(): number {
    return this.#bpf.number(this.#maps.lost)
  }

  /** Passes on the records since the last call. */
  read(take: (record: KernelRecord) => void): void {
    const toWall = Date.now() - Number(process.hrtime.bigint()) / 1e6
    this.#ring.read((data, at) => {
      const what = names.get(data.getUint32(at + RECORD.what, true))
      if (what !== undefined) take(this.#decode(what, data, at, toWall))
    })
  }

  close(): void {
    this.#ring.close()
    this.#bpf.close()
  }

  #decode(what: KernelRecord['what'], data: DataView, at: number, toWall: number): KernelRecord {
    const time = Number(data.getBigUint64(at + RECORD.time, true)) / 1e6 + toWall
    const connected = what === 'connect' || what === 'listen'
    return {
      what,
      ts: Math.round(time * 1000) / 1000,
      pid: data.getUint32(at + RECORD.pid, true),
      uid: data.getUint32(at + RECORD.uid, true),
      comm: commOf(data, at + RECORD.comm),
      ...(what === 'exit' && this.#hasExitCode && { exitCode: data.getUint32(at + RECORD.exitCode, true) }),
      ...(connected && {
        local: { ip: ipOf(data, at, 1), port: data.getUint16(at + RECORD.ports + 2, true) },
        ...(what === 'connect' && {
          remote: { ip: ipOf(data, at, 0), port: data.getUint16(at + RECORD.ports) },
        }),
      }),
    }
  }
}

function commOf(data: DataView, at: number): string {
  const bytes = new Uint8Array(data.buffer, data.byteOffset + at, 16)
  const end = bytes.indexOf(0)
  return Buffer.from(bytes.subarray(0, end < 0 ? 16 : end)).toString()
}

/** `which`: 0 remote, 1 local. An IPv4 address on an IPv6 socket is returned as IPv4. */
function ipOf(data: DataView, at: number, which: 0 | 1): string {
  const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
  if (data.getUint16(at + RECORD.family, true) === AF_INET6)
    return formatHostIp(bytes, at + RECORD.v6 + which * 16)
  return formatIPv4(bytes, at + RECORD.v4 + which * 4)
}
