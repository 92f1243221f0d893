import type { Side } from '@tapdeck/wire'
import { UNKNOWN, verbOf } from './command.ts'
import { probeLine } from './probe.ts'

const LF = 0x0a

/** The next line that is a command or a reply. */
export function resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
  for (let at = start; at < end; ) {
    const lf = bytes.indexOf(LF, at)
    const whole = lf >= 0 && lf < end
    const verdict = probeLine(bytes, at, end, side)
    const sure =
      verdict === 'yes' || (verdict === 'more' && whole && (side === 1 || verbOf(bytes, at, lf) !== UNKNOWN))
    if (sure) return at
    if (!whole) return -1
    at = lf + 1
  }
  return -1
}
