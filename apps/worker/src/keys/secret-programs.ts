import { BpfCode } from '../os/bpf-code.ts'
import { call, currentProcess, outputRecord } from '../os/bpf-fragments.ts'
import type { PidNamespace } from '../os/pid-namespace.ts'
import type { FieldPath } from './accessor-path.ts'

/** How all records begin. */
export const PROBE_RECORD = {
  time: 0,
  /** Number of the probed file. */
  file: 8,
  pid: 12,
  /** 1 if memory of the process could not be read. */
  unreadable: 16,
  comm: 24,
  cgroup: 40,
  body: 48,
} as const

/** Layout of a record: one secret with its label. */
export const SECRET_RECORD = {
  ...PROBE_RECORD,
  secretLength: 20,
  labelAddress: 48,
  /** 0: the label ends with a zero byte. */
  labelLength: 56,
  random: 64,
  label: 96,
  secret: 128,
  bytes: 192,
} as const

export const MAX_LABEL = 32
const MAX_SECRET = 64
const RANDOM_BYTES = 32
const FRAME = 10
const BASE = -SECRET_RECORD.bytes
const INFO = BASE - 8

/** Where a function of C or of Go finds its arguments at its first instruction: offsets in `struct pt_regs`. */
const X64_C = [112, 104, 96, 88, 72, 64]
const X64_GO = [80, 40, 88, 112, 104, 72, 64, 56, 48]
const ARM64 = [0, 8, 16, 24, 32, 40, 48, 56, 64]
const REGISTERS = { x64: { c: X64_C, go: X64_GO }, arm64: { c: ARM64, go: ARM64 } } as const

/** Which arguments of a function are a label, a client random and a secret. */
export interface SecretArguments {
  readonly convention: 'c' | 'go'
  readonly label: number
  /** Absent: the label ends with a zero byte. */
  readonly labelLength?: number
  readonly secret: number
  readonly secretLength: number
  readonly random: { readonly argument: number; readonly path: FieldPath }
}

export interface ProbeMaps {
  /** Ring buffer of records. */
  readonly records: number
  /** The first argument of functions that have not returned: thread → address. */
  readonly calls: number
  /** One counter: records that did not fit. */
  readonly lost: number
}

export interface ProgramContext {
  readonly maps: ProbeMaps
  readonly space: PidNamespace
  readonly machine: 'x64' | 'arm64'
  /** Number of the probed file. */
  readonly file: number
}

/** Runs at the first instruction of a function that is called with a secret, and hands the secret over. */
export function secretProgram(context: ProgramContext, layout: SecretArguments): Uint8Array {
  const { maps, space, machine, file } = context
  const registers = REGISTERS[machine][layout.convention]
  const code = new BpfCode().move(6, 1)
  for (let at = 0; at < SECRET_RECORD.bytes; at += 8) code.clear(FRAME, BASE + at)
  currentProcess(code, space, INFO)
  code.store(4, FRAME, BASE + SECRET_RECORD.pid, 2)
  code.set(1, file).store(4, FRAME, BASE + SECRET_RECORD.file, 1)
  code.call(call.monotonicTime).store(8, FRAME, BASE + SECRET_RECORD.time, 0)
  code.call(call.cgroup).store(8, FRAME, BASE + SECRET_RECORD.cgroup, 0)
  to(code, SECRET_RECORD.comm).set(2, 16).call(call.comm)

  const argument = (register: 2 | 3 | 7 | 8, number: number) =>
    code.load(8, register, 6, registers[number] ?? 0)
  argument(8, layout.secretLength).ifAbove(8, MAX_SECRET, 'unreadable')
  code.store(4, FRAME, BASE + SECRET_RECORD.secretLength, 8)
  argument(3, layout.secret)
  to(code, SECRET_RECORD.secret).move(2, 8).call(call.readUser).ifNot(0, 0, 'unreadable')

  argument(3, layout.random.argument)
  followPath(code, layout.random.path)
  to(code, SECRET_RECORD.random).set(2, RANDOM_BYTES).call(call.readUser).ifNot(0, 0, 'unreadable')

  // A label that is not in memory yet is read in the file later.
  argument(7, layout.label).store(8, FRAME, BASE + SECRET_RECORD.labelAddress, 7)
  if (layout.labelLength === undefined)
    to(code, SECRET_RECORD.label).set(2, MAX_LABEL).move(3, 7).call(call.readUserText)
  else {
    argument(8, layout.labelLength).ifAbove(8, MAX_LABEL, 'unreadable')
    code.store(4, FRAME, BASE + SECRET_RECORD.labelLength, 8)
    to(code, SECRET_RECORD.label).move(2, 8).move(3, 7).call(call.readUser)
  }
  const record = { at: BASE, bytes: SECRET_RECORD.bytes, key: INFO }
  outputRecord(code, maps, record).exit()

  code
    .label('unreadable')
    .set(1, 1)
    .store(4, FRAME, BASE + SECRET_RECORD.unreadable, 1)
  return outputRecord(code, maps, record).label('end').exit().bytes()
}

/** Register 1 points to a field of the record. */
function to(code: BpfCode, field: number): BpfCode {
  return code.move(1, FRAME).add(1, BASE + field)
}

/** Register 3 points to an object; afterwards to the field at the end of the path. */
function followPath(code: BpfCode, path: FieldPath): void {
  for (const offset of path.slice(0, -1)) {
    code.move(1, FRAME).add(1, INFO).set(2, 8).add(3, offset)
    code.call(call.readUser).ifNot(0, 0, 'unreadable').load(8, 3, FRAME, INFO)
  }
  code.add(3, path.at(-1) ?? 0)
}
