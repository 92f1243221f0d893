import { PlacedError } from '@tapdeck/spelling'

/** What is wrong with a BPF expression, where, and how to mend it. */
export class BpfError extends PlacedError {
  override readonly name = 'BpfError'
}
