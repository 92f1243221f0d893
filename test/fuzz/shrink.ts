import type { Input } from './input.ts'

const MAX_TRIES = 2000

/** A smaller input that still fails: turns or packets left out, then bytes cut off either end. */
export function shrink(input: Input, fails: (input: Input) => boolean): Input {
  let best = input
  let tries = 0
  const attempt = (candidate: Input): boolean => {
    if (++tries > MAX_TRIES || !fails(candidate)) return false
    best = candidate
    return true
  }
  for (let again = true; again && tries < MAX_TRIES; ) {
    again = false
    for (const candidate of smaller(best))
      if (attempt(candidate)) {
        again = true
        break
      }
  }
  return best
}

function* smaller(input: Input): Generator<Input> {
  if (input.door === 'file') {
    for (const bytes of shorter(input.bytes)) yield { ...input, bytes }
    return
  }
  if (input.door === 'packets') {
    const { packets } = input
    for (let i = 0; i < packets.length; i++) yield { ...input, packets: packets.toSpliced(i, 1) }
    for (let i = 0; i < packets.length; i++)
      for (const bytes of shorter(packets[i])) yield { ...input, packets: packets.with(i, bytes) }
    return
  }
  const { turns } = input
  for (let i = 0; i < turns.length; i++) yield { ...input, turns: turns.toSpliced(i, 1) }
  for (let i = 0; i < turns.length; i++)
    for (const bytes of shorter(turns[i].bytes))
      yield { ...input, turns: turns.with(i, { ...turns[i], bytes }) }
}

function* shorter(bytes: Uint8Array): Generator<Uint8Array> {
  for (let part = bytes.length >> 1; part > 0; part >>= 1) {
    yield bytes.slice(0, bytes.length - part)
    yield bytes.slice(part)
  }
}
