const MICROSECONDS: ReadonlyMap<string, number> = new Map([
  ['ns', 1e-3],
  ['us', 1],
  // The micro sign and the Greek letter look alike; keyboards have either.
  ['\u00b5s', 1],
  ['\u03bcs', 1],
  ['ms', 1e3],
  ['s', 1e6],
  ['m', 60e6],
  ['h', 3600e6],
  ['d', 86_400e6],
  ['w', 604_800e6],
])

/** Milliseconds of `90s`, `1h30m`, `2d`; undefined where the text is not a duration. See `parseMicroseconds`. */
export function parseDuration(text: string): number | undefined {
  const microseconds = parseMicroseconds(text)
  return microseconds === undefined ? undefined : microseconds / 1000
}

/**
 * Microseconds of `250ms`, `1h30m`; undefined where the text is not a duration. This is the one rule of the
 * configuration, the API, the command line and KFL: one or more numbers, each followed by its unit (`ns us ms s m h d
 * w`), without spaces and without a sign. The parts add up.
 */
export function parseMicroseconds(text: string): number | undefined {
  const part = /(\d+(?:\.\d+)?)(ns|us|\u00b5s|\u03bcs|ms|s|m|h|d|w)/y
  let total = 0
  while (part.lastIndex < text.length) {
    const [, amount, unit] = part.exec(text) ?? []
    if (amount === undefined || unit === undefined) return undefined
    total += Number(amount) * MICROSECONDS.get(unit)!
  }
  return text !== '' && Number.isFinite(total) ? total : undefined
}
