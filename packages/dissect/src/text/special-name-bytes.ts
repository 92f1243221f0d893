/** Sets the lowest bit of each of four bytes that needs an escape in a DNS name. */
export function specialNameBytes(four: number): number {
  // The highest bit of each byte: above space, no dot, no backslash, below DEL. Literals, because named constants
  // would be loaded each time.
  const low = four & 0x7f7f_7f7f
  const isPlain =
    (low + 0x5f5f_5f5f) &
    ((low ^ 0x2e2e_2e2e) + 0x7f7f_7f7f) &
    ((low ^ 0x5c5c_5c5c) + 0x7f7f_7f7f) &
    ~(low + 0x0101_0101) &
    ~four
  return (~isPlain >>> 7) & 0x0101_0101
}
