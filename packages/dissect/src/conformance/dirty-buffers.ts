import { borrowBuffer, returnBuffer } from '../engine/frame/frame-buffer-pool.ts'
import { noise } from './replay.ts'

/** `MAX_POOLED` of the frame buffer pool. */
const MAX_POOLED = 16
const SIZES = [256, 512, 1024, 2048]

/** Fills the frame buffer pool with random bytes, so that reading stale bytes changes results. */
export function dirtyBuffers(random: () => number): void {
  for (const size of SIZES) {
    for (let i = 0; i < MAX_POOLED; i++) borrowBuffer(size)
    for (let i = 0; i < 2; i++) returnBuffer(noise(size, random))
  }
}
