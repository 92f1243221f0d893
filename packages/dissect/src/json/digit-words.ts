const ZERO = 0x30

/** The digits of 0 to 999 as one 32-bit word each: without and with leading zeros. */
export const DIGITS = new Int32Array(1000)
export const PADDED = new Int32Array(1000)
for (let i = 0; i < 1000; i++) {
  const [ones, tens, hundreds] = [ZERO + (i % 10), ZERO + (((i / 10) | 0) % 10), ZERO + ((i / 100) | 0)]
  PADDED[i] = hundreds | (tens << 8) | (ones << 16)
  DIGITS[i] = i < 10 ? ones : i < 100 ? tens | (ones << 8) : PADDED[i]
}
