import { BpfCode } from './bpf-code.ts'
import { call, currentProcess, outputRecord } from './bpf-fragments.ts'
import type { PidNamespace } from './pid-namespace.ts'

const TCP = { established: 1, synSent: 2, close: 7, listen: 10 } as const

/** Offsets in `struct sock_common`, stable for years; the IPv6 addresses follow two pointers. */
const SOCK = { addresses: 0, ports: 12, family: 16, v6Remote: 56 } as const

/** Layout of a record. `sock_common` has the remote end first. */
export const RECORD = {
  time: 0,
  what: 8,
  pid: 12,
  exitCode: 16,
  uid: 20,
  comm: 24,
  /** Remote, then local, 4 bytes each. */
  v4: 40,
  /** Remote port in network byte order, local port in host byte order. */
  ports: 48,
  family: 52,
  /** Remote, then local, 16 bytes each. */
  v6: 56,
  bytes: 88,
} as const

export const WHAT = { exec: 1, exit: 2, connect: 3, listen: 4 } as const

export interface WatchMaps {
  /** Ring buffer of records. */
  readonly records: number
  /** The process of each connection that is not established yet: address of the socket → record. */
  readonly connecting: number
  /** One counter: records that did not fit. */
  readonly lost: number
}

const FRAME = 10
const BASE = -RECORD.bytes
const PID_INFO = BASE - 8
const KEY = PID_INFO - 8

/** A process started a program. */
export function execProgram(maps: WatchMaps, space: PidNamespace): Uint8Array {
  const code = new BpfCode()
  describeCaller(code, WHAT.exec, space)
  return handOver(code, maps).label('end').exit().bytes()
}

/** A process (not only a thread) ended. `exitCode`: offset in `task_struct`; undefined: records have no exit code. */
export function exitProgram(maps: WatchMaps, space: PidNamespace, exitCode: number | undefined): Uint8Array {
  const code = new BpfCode()
  describeCaller(code, WHAT.exit, space, true)
  if (exitCode !== undefined) {
    code.call(call.currentTask).move(3, 0).add(3, exitCode).set(2, 4)
    code
      .move(1, FRAME)
      .add(1, BASE + RECORD.exitCode)
      .call(call.readKernel)
  }
  return handOver(code, maps).label('end').exit().bytes()
}

/**
 * A TCP socket changed its state. The connecting process is known in SYN_SENT, the local port only in ESTABLISHED, which
 * runs in no process context. So the record is kept in a map from the first event to the second.
 */
export function socketProgram(maps: WatchMaps, space: PidNamespace): Uint8Array {
  const code = new BpfCode()
  code.load(8, 7, 1, 0).load(8, 8, 1, 8).load(8, 9, 1, 16)
  code.store(8, FRAME, KEY, 7)
  code.ifEqual(9, TCP.synSent, 'connecting').ifEqual(9, TCP.listen, 'listening')
  code.ifNot(8, TCP.synSent, 'end').ifEqual(9, TCP.established, 'connected')
  // The connection was refused.
  code.setMap(1, maps.connecting).move(2, FRAME).add(2, KEY).call(call.delete).exit()

  code.label('connecting')
  describeCaller(code, WHAT.connect, space)
  code.setMap(1, maps.connecting).move(2, FRAME).add(2, KEY).move(3, FRAME).add(3, BASE).set(4, 0)
  code.call(call.update).exit()

  code.label('listening')
  describeCaller(code, WHAT.listen, space)
  describeSocket(code)
  handOver(code, maps).exit()

  code.label('connected')
  code.setMap(1, maps.connecting).move(2, FRAME).add(2, KEY).call(call.lookup)
  code.ifEqual(0, 0, 'end')
  for (let at = 0; at < RECORD.v4; at += 8) code.load(8, 1, 0, at).store(8, FRAME, BASE + at, 1)
  for (let at = RECORD.v4; at < RECORD.bytes; at += 8) code.clear(FRAME, BASE + at)
  describeSocket(code)
  handOver(code, maps)
  code.setMap(1, maps.connecting).move(2, FRAME).add(2, KEY).call(call.delete)
  return code.label('end').exit().bytes()
}

/** Fills the record with the current process; jumps to `end` if it is outside of the PID namespace. */
function describeCaller(code: BpfCode, what: number, space: PidNamespace, leaderOnly = false): void {
  for (let at = 0; at < RECORD.bytes; at += 8) code.clear(FRAME, BASE + at)
  currentProcess(code, space, PID_INFO)
  code.store(4, FRAME, BASE + RECORD.pid, 2)
  if (leaderOnly) code.ifDifferent(1, 2, 'end')
  code.set(1, what).store(4, FRAME, BASE + RECORD.what, 1)
  code.call(call.monotonicTime).store(8, FRAME, BASE + RECORD.time, 0)
  code.call(call.uid).store(4, FRAME, BASE + RECORD.uid, 0)
  code
    .move(1, FRAME)
    .add(1, BASE + RECORD.comm)
    .set(2, 16)
    .call(call.comm)
}

/** Adds the ends of the socket in register 7. */
function describeSocket(code: BpfCode): void {
  const read = (to: number, from: number, bytes: number) =>
    code
      .move(1, FRAME)
      .add(1, BASE + to)
      .set(2, bytes)
      .move(3, 7)
      .add(3, from)
      .call(call.readKernel)
  read(RECORD.v4, SOCK.addresses, 8)
  read(RECORD.ports, SOCK.ports, 4)
  read(RECORD.family, SOCK.family, 2)
  read(RECORD.v6, SOCK.v6Remote, 32)
}

function handOver(code: BpfCode, maps: WatchMaps): BpfCode {
  return outputRecord(code, maps, { at: BASE, bytes: RECORD.bytes, key: PID_INFO })
}
