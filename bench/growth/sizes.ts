/** The sizes of TAPDECK_BENCH_STEPS, or these. */
export function sizes(...usual: number[]): readonly number[] {
  const given = process.env.TAPDECK_BENCH_STEPS
  return given === undefined ? usual : given.split(',').map(Number)
}
