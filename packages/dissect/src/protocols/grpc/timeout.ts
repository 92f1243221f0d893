/** Milliseconds a unit: hours, minutes, seconds, milli-, micro- and nanoseconds. */
const UNITS: Readonly<Record<string, number | undefined>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1000,
  m: 1,
  u: 0.001,
  n: 0.000001,
}

/** `grpc-timeout`: up to eight digits and a unit. Undefined where it is something else. */
export function timeoutMs(text: string): number | undefined {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(text) ?? []
  const factor = unit === undefined ? undefined : UNITS[unit]
  return factor === undefined ? undefined : Number((Number(digits) * factor).toPrecision(15))
}
