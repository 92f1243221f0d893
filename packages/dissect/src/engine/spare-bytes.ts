/** The smallest and the largest that are kept, powers of two: part of a segment, and a full one with a little more. */
const SMALLEST = 256
const LARGEST = 2048
/** Of each size. More are never needed at once but by connections that then keep them. */
const MOST = 16

const spare: Uint8Array[][] = []
for (let size = SMALLEST; size <= LARGEST; size *= 2) spare.push([])

/** Which of the sizes has room for that many bytes. */
function place(size: number): number {
  return size <= SMALLEST ? 0 : Math.clz32(SMALLEST - 1) - Math.clz32(size - 1)
}

/**
 * Memory for at least `size` bytes of a frame that has begun, with anything in it. Fresh memory for each frame that two
 * packets share would cost more than all else that is done with it: it lies outside of the heap, and each piece of
 * it is a reason for the collector to look at all connections.
 */
export function borrow(size: number): Uint8Array {
  if (size > LARGEST) return new Uint8Array(size)
  const at = place(size)
  return spare[at].pop() ?? new Uint8Array(SMALLEST << at)
}

/** Nobody looks at these bytes any more. */
export function giveBack(bytes: Uint8Array): void {
  const { length } = bytes
  if (length < SMALLEST || length > LARGEST) return
  const same = spare[place(length)]
  if (length === SMALLEST << place(length) && same.length < MOST) same.push(bytes)
}
