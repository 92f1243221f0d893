import { SystemCallError } from '../capture/system-call-error.ts'
import type { SystemCalls } from '../capture/system-calls.ts'
import { openUprobe, type Uprobe } from './open-uprobe.ts'

const COMMAND = { createMap: 0, lookup: 1, load: 5, openRawTracepoint: 17 } as const
/** Types of programs (linux/bpf.h); programs of probes have the type of kprobes. */
const PROGRAM = { probe: 2, rawTracepoint: 17 } as const
const ATTRIBUTES = 128
/** linux/perf_event.h */
const PERF_EVENT_IOC_SET_BPF = 0x40042408

export const MAP = { array: 2, lruHash: 9, ringBuffer: 27 } as const

/** The commands of the `bpf` system call that are used here. All throw `SystemCallError`. */
export class Bpf {
  readonly #system: SystemCalls
  readonly #opened: number[] = []

  constructor(system: SystemCalls) {
    this.#system = system
  }

  createMap(type: number, keyBytes: number, valueBytes: number, entries: number): number {
    return this.#keep(
      this.#call('bpf(BPF_MAP_CREATE)', COMMAND.createMap, (view) => {
        for (const [at, value] of [type, keyBytes, valueBytes, entries].entries())
          view.setUint32(at * 4, value, true)
      }),
    )
  }

  /** Loads a program and attaches it to a tracepoint until `close`. */
  attach(tracepoint: string, program: Uint8Array): void {
    const loaded = this.#keep(this.load(PROGRAM.rawTracepoint, program))
    const name = text(tracepoint)
    this.#keep(
      this.#call(`bpf(BPF_RAW_TRACEPOINT_OPEN ${tracepoint})`, COMMAND.openRawTracepoint, (view) => {
        view.setBigUint64(0, this.#system.address(name), true)
        view.setUint32(8, loaded, true)
      }),
    )
  }

  /** Loads a program for probes. The caller closes it with `release`. */
  loadProbe(program: Uint8Array): number {
    return this.load(PROGRAM.probe, program)
  }

  /** Runs a program of `loadProbe` in all processes at this place of a file. The caller ends it with `release`. */
  attachProbe(program: number, probe: Uprobe): number {
    const event = openUprobe(this.#system, probe)
    if (this.#system.ioctlNumber(event, PERF_EVENT_IOC_SET_BPF, program) === 0) return event
    const error = new SystemCallError('ioctl(PERF_EVENT_IOC_SET_BPF)', this.#system.errno())
    this.#system.close(event)
    throw error
  }

  release(fd: number): void {
    this.#system.close(fd)
  }

  /** The value of an array map with one entry. */
  number(map: number): number {
    const key = new Uint8Array(4)
    const value = new Uint8Array(8)
    this.#call('bpf(BPF_MAP_LOOKUP_ELEM)', COMMAND.lookup, (view) => {
      view.setUint32(0, map, true)
      view.setBigUint64(8, this.#system.address(key), true)
      view.setBigUint64(16, this.#system.address(value), true)
    })
    return Number(new DataView(value.buffer).getBigUint64(0, true))
  }

  close(): void {
    for (const fd of this.#opened.splice(0)) this.#system.close(fd)
  }

  /** Loads a program of a type of linux/bpf.h. The caller closes it with `release`. */
  load(type: number, program: Uint8Array, attachType = 0): number {
    const license = text('GPL')
    return this.#call('bpf(BPF_PROG_LOAD)', COMMAND.load, (view) => {
      view.setUint32(0, type, true)
      view.setUint32(4, program.length / 8, true)
      view.setBigUint64(8, this.#system.address(program), true)
      view.setBigUint64(16, this.#system.address(license), true)
      view.setUint32(68, attachType, true)
    })
  }

  #keep(fd: number): number {
    this.#opened.push(fd)
    return fd
  }

  #call(what: string, command: number, fill: (view: DataView) => void): number {
    const attributes = new Uint8Array(ATTRIBUTES)
    fill(new DataView(attributes.buffer))
    const result = this.#system.bpf(command, attributes, ATTRIBUTES)
    if (result < 0) throw new SystemCallError(what, this.#system.errno())
    return result
  }
}

function text(value: string): Uint8Array {
  return new TextEncoder().encode(`${value}\0`)
}
