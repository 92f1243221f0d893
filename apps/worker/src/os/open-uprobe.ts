import { readFileSync } from 'node:fs'
import { SystemCallError } from '../capture/system-call-error.ts'
import type { SystemCalls } from '../capture/system-calls.ts'

/** A place in a file at which all processes that run it are probed. */
export interface Uprobe {
  readonly path: string
  readonly offset: number
  /** At the return of the function that begins there. */
  readonly isReturn: boolean
}

/** The type of the event source of uprobes differs between machines. */
const TYPE_FILE = '/sys/bus/event_source/devices/uprobe/type'
const ATTRIBUTES = 136
const PERF_FLAG_FD_CLOEXEC = 8
const ALL_PROCESSES = -1
const NO_GROUP = -1

/** Opens a perf event at the place (`struct perf_event_attr`, linux/perf_event.h). Throws `SystemCallError`. */
export function openUprobe(system: SystemCalls, { path, offset, isReturn }: Uprobe): number {
  const name = new TextEncoder().encode(`${path}\0`)
  const attributes = new Uint8Array(ATTRIBUTES)
  const view = new DataView(attributes.buffer)
  view.setUint32(0, uprobeType(), true)
  view.setUint32(4, ATTRIBUTES, true)
  view.setBigUint64(8, isReturn ? 1n : 0n, true)
  view.setBigUint64(56, system.address(name), true)
  view.setBigUint64(64, BigInt(offset), true)
  // The event counts on one processor; the program that is attached to it runs on all.
  const cpu = 0
  const event = system.perfEventOpen(attributes, ALL_PROCESSES, cpu, NO_GROUP, PERF_FLAG_FD_CLOEXEC)
  if (event < 0) throw new SystemCallError('perf_event_open(uprobe)', system.errno())
  return event
}

function uprobeType(): number {
  return Number(readFileSync(TYPE_FILE, 'utf8').trim())
}
