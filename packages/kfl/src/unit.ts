const MICROSECONDS: Readonly<Record<string, number>> = {
  ns: 0.001,
  us: 1,
  µs: 1,
  μs: 1,
  ms: 1e3,
  s: 1e6,
  m: 60e6,
  h: 3600e6,
  d: 86_400e6,
  w: 604_800e6,
}

/** By lower-case spelling. The decimal ones are powers of 1000, those with an `i` powers of 1024. */
const BYTES: Readonly<Record<string, number>> = {
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  ki: 1024,
  mi: 1024 ** 2,
  gi: 1024 ** 3,
  ti: 1024 ** 4,
  kib: 1024,
  mib: 1024 ** 2,
  gib: 1024 ** 3,
  tib: 1024 ** 4,
}

/** Microseconds of `250ms`, `1h30m`, `-5m`; undefined where it is no duration. */
export function parseDuration(text: string): number | undefined {
  const sign = text.startsWith('-') ? -1 : 1
  const body = sign < 0 ? text.slice(1) : text
  if (body === '0') return 0
  const part = /(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h|d|w)/y
  let total = 0
  while (part.lastIndex < body.length) {
    const found = part.exec(body)
    if (!found) return undefined
    total += Number(found[1]) * MICROSECONDS[found[2]]
  }
  return body === '' ? undefined : sign * total
}

/** Bytes of `1MB`, `1.5KiB`, `64Ki`; undefined where it is no size. */
export function parseSize(text: string): number | undefined {
  const found = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(text)
  const factor = found ? BYTES[found[2].toLowerCase()] : undefined
  return found && factor !== undefined && Object.hasOwn(BYTES, found[2].toLowerCase())
    ? Number(found[1]) * factor
    : undefined
}
