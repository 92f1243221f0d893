/** Below this a loop is faster than making a view. */
const SMALL = 64

/** Copies `data[start, end)` to `at` in `target` and returns where it ends. */
export function copyBytes(
  target: Uint8Array,
  at: number,
  data: Uint8Array,
  start: number,
  end: number,
): number {
  if (end - start < SMALL) for (let from = start, to = at; from < end; from++, to++) target[to] = data[from]
  else target.set(start === 0 && end === data.length ? data : data.subarray(start, end), at)
  return at + end - start
}

/** Writes a 32-bit number, least significant byte first. */
export function putU32(target: Uint8Array, at: number, value: number): void {
  target[at] = value
  target[at + 1] = value >>> 8
  target[at + 2] = value >>> 16
  target[at + 3] = value >>> 24
}

export function putU16(target: Uint8Array, at: number, value: number): void {
  target[at] = value
  target[at + 1] = value >>> 8
}
