import { borrow, giveBack } from '../engine/spare-bytes.ts'
import { noise } from './replay.ts'

/** Of each size at most so many are kept to be borrowed. */
const MOST = 16
const SIZES = [256, 512, 1024, 2048]

/** Whatever a frame is put together in next has something in it. */
export function soil(random: () => number): void {
  for (const size of SIZES) {
    for (let i = 0; i < MOST; i++) borrow(size)
    for (let i = 0; i < 2; i++) giveBack(noise(size, random))
  }
}
