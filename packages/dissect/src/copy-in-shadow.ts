import { shadow } from '@tapdeck/wire'
import code from './copy-in-shadow.wasm.ts'

interface CopyCode {
  /** Leaves up to 15 bytes behind the end of the copy that mean nothing. */
  copy(from: number, end: number, to: number): void
}

/** Copies within the memory of the shadow. */
export const { copy: copyInShadow } = shadow.load<CopyCode>(code)
