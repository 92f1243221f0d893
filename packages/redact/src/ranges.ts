/** Stretches of a text that are to be masked: begin and end in turn, in any order. */
export type Ranges = number[]

const STAR = 0x2a

/** The bytes with the ranges starred out; the same array where there are none. Lengths stay, so framing does too. */
export function maskBytes(bytes: Uint8Array, ranges: Ranges): Uint8Array {
  if (ranges.length === 0) return bytes
  const masked = bytes.slice()
  for (let at = 0; at < ranges.length; at += 2) masked.fill(STAR, ranges[at], ranges[at + 1])
  return masked
}

export function maskText(text: string, ranges: Ranges): string {
  if (ranges.length === 0) return text
  const units = [...text].length === text.length ? [...text] : text.split('')
  for (let at = 0; at < ranges.length; at += 2) units.fill('*', ranges[at], ranges[at + 1])
  return units.join('')
}
