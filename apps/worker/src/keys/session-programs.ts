import { BpfCode } from '../os/bpf-code.ts'
import { call, countLost, currentProcess } from '../os/bpf-fragments.ts'
import type { FieldPath } from './accessor-path.ts'
import { PROBE_RECORD, type ProgramContext } from './secret-programs.ts'

/** Layout of a record: parts of the object of a connection whose handshake has just ended. */
export const SESSION_RECORD = {
  random: PROBE_RECORD.body,
  masterKey: PROBE_RECORD.body + 32,
  window: PROBE_RECORD.body + 80,
} as const

/** What is read of the object. */
export interface SessionFields {
  /** The result of a handshake that succeeded. */
  readonly success: number
  readonly random: FieldPath
  readonly masterKey: FieldPath
  /** A part of the object itself: its offset, and a multiple of 64 bytes. */
  readonly window: { readonly from: number; readonly bytes: number }
}

const RESERVE = 131
const SUBMIT = 132
const NO_WAKEUP = 1
const MAX_CHUNK = 512
const FRAME = 10
const [KEY, INFO] = [-8, -16]
/** Offsets in `struct pt_regs`. */
const REGISTERS = { x64: { first: 112, result: 80 }, arm64: { first: 0, result: 0 } } as const

/** At the start of a function: keeps its first argument until the function returns in the same thread. */
export function enterProgram({ maps, machine }: ProgramContext): Uint8Array {
  const code = new BpfCode().move(6, 1)
  code.call(call.pid).store(8, FRAME, KEY, 0)
  code.load(8, 1, 6, REGISTERS[machine].first).store(8, FRAME, INFO, 1)
  code.setMap(1, maps.calls).move(2, FRAME).add(2, KEY).move(3, FRAME).add(3, INFO).set(4, 0)
  return code.call(call.update).exit().bytes()
}

/** At its return: if the handshake succeeded, hands over what is in the object. Memory that cannot be read is zero. */
export function returnProgram(context: ProgramContext, fields: SessionFields): Uint8Array {
  const { maps, space, machine, file } = context
  const code = new BpfCode().move(6, 1)
  code.call(call.pid).store(8, FRAME, KEY, 0)
  code.setMap(1, maps.calls).move(2, FRAME).add(2, KEY).call(call.lookup).ifEqual(0, 0, 'end')
  code.load(8, 7, 0, 0)
  code.setMap(1, maps.calls).move(2, FRAME).add(2, KEY).call(call.delete)
  code.load(4, 1, 6, REGISTERS[machine].result).ifNot(1, fields.success, 'end')
  currentProcess(code, space, INFO)
  code.move(9, 2)
  const bytes = SESSION_RECORD.window + fields.window.bytes
  code.setMap(1, maps.records).set(2, bytes).set(3, 0).call(RESERVE).ifEqual(0, 0, 'full').move(8, 0)

  code.store(4, 8, PROBE_RECORD.pid, 9)
  code.set(1, file).store(4, 8, PROBE_RECORD.file, 1)
  code.clear(8, PROBE_RECORD.unreadable)
  code.call(call.monotonicTime).store(8, 8, PROBE_RECORD.time, 0)
  code.call(call.cgroup).store(8, 8, PROBE_RECORD.cgroup, 0)
  code.move(1, 8).add(1, PROBE_RECORD.comm).set(2, 16).call(call.comm)
  readField(code, fields.random, SESSION_RECORD.random, 32)
  readField(code, fields.masterKey, SESSION_RECORD.masterKey, 48)
  for (let at = 0; at < fields.window.bytes; at += MAX_CHUNK)
    readField(
      code,
      [fields.window.from + at],
      SESSION_RECORD.window + at,
      Math.min(MAX_CHUNK, fields.window.bytes - at),
    )
  code.move(1, 8).set(2, NO_WAKEUP).call(SUBMIT).exit()
  code.label('full')
  return countLost(code, maps, KEY).label('end').exit().bytes()
}

/** Copies a field of the object in register 7 into the record in register 8. */
function readField(code: BpfCode, path: FieldPath, to: number, bytes: number): void {
  code.move(3, 7)
  for (const offset of path.slice(0, -1)) {
    code.add(3, offset).move(1, FRAME).add(1, INFO).set(2, 8).call(call.readUser)
    code.load(8, 3, FRAME, INFO)
  }
  code.add(3, path.at(-1) ?? 0)
  code.move(1, 8).add(1, to).set(2, bytes).call(call.readUser)
}
