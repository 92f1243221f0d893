/** As `timings` of a record tells it, in microseconds and without an object; NaN where one end is not known. */
export function microseconds(from: number | undefined, to: number | undefined): number {
  return from === undefined || to === undefined ? Number.NaN : Math.max(0, to - from)
}
