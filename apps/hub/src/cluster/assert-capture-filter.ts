import { BpfFilter } from '@tapdeck/bpf'

const ETHERNET = 1
const SNAP_LENGTH = 262_144

/** Throws `RangeError` if an expression is no filter that the kernel can run. Empty: no filter. */
export function assertCaptureFilter(expression: string): void {
  if (expression !== '') BpfFilter.parse(expression).program(ETHERNET, SNAP_LENGTH)
}
