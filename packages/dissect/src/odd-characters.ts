/** In the lowest bit of each of four bytes, whether it is no character that stands for itself in a name of DNS. */
export function oddCharacters(four: number): number {
  // The highest bit of each byte: above a space, no dot, no backslash, below DEL. Numbers with a name are loaded each time.
  const low = four & 0x7f7f_7f7f
  const isPlain =
    (low + 0x5f5f_5f5f) &
    ((low ^ 0x2e2e_2e2e) + 0x7f7f_7f7f) &
    ((low ^ 0x5c5c_5c5c) + 0x7f7f_7f7f) &
    ~(low + 0x0101_0101) &
    ~four
  return (~isPlain >>> 7) & 0x0101_0101
}
