import type { BpfCode } from './bpf-code.ts'
import type { PidNamespace } from './pid-namespace.ts'

/** Numbers of kernel helper functions (linux/bpf.h). */
export const call = {
  lookup: 1,
  update: 2,
  delete: 3,
  monotonicTime: 5,
  pid: 14,
  uid: 15,
  comm: 16,
  currentTask: 35,
  cgroup: 80,
  readUser: 112,
  readKernel: 113,
  readUserText: 114,
  pidInNamespace: 120,
  output: 130,
} as const

const FRAME = 10

/**
 * Loads the thread into register 1 and the process into register 2; jumps to `end` if the process is outside of the PID
 * namespace. `at`: 8 bytes of the stack.
 */
export function currentProcess(code: BpfCode, space: PidNamespace, at: number): void {
  if (space) {
    code.setLong(1, space.device).setLong(2, space.inode).move(3, FRAME).add(3, at).set(4, 8)
    code.call(call.pidInNamespace).ifNot(0, 0, 'end')
  } else code.call(call.pid).store(8, FRAME, at, 0)
  code.load(4, 1, FRAME, at).load(4, 2, FRAME, at + 4)
}

/**
 * Writes a record of the stack to the ring, or counts it if it does not fit. No wakeup: the reader polls. `key`: 8 bytes of
 * the stack.
 */
export function outputRecord(
  code: BpfCode,
  maps: { readonly records: number; readonly lost: number },
  { at, bytes, key }: { readonly at: number; readonly bytes: number; readonly key: number },
): BpfCode {
  const done = `handed over ${code.count}`
  code.setMap(1, maps.records).move(2, FRAME).add(2, at).set(3, bytes).set(4, 1).call(call.output)
  code.ifEqual(0, 0, done)
  return countLost(code, maps, key).label(done)
}

/** Counts a record that did not fit. `key`: 8 bytes of the stack. */
export function countLost(code: BpfCode, maps: { readonly lost: number }, key: number): BpfCode {
  const done = `counted ${code.count}`
  code.clear(FRAME, key).setMap(1, maps.lost).move(2, FRAME).add(2, key).call(call.lookup)
  code.ifEqual(0, 0, done)
  code.load(8, 1, 0, 0).add(1, 1).store(8, 0, 0, 1)
  return code.label(done)
}
