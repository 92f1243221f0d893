/** RFC 6455 §7.4.1 and IANA's registry. */
const NAMES: Readonly<Record<number, string | undefined>> = {
  1000: 'normal closure',
  1001: 'going away',
  1002: 'protocol error',
  1003: 'unsupported data',
  1007: 'invalid payload data',
  1008: 'policy violation',
  1009: 'message too big',
  1010: 'missing extension',
  1011: 'internal error',
  1012: 'service restart',
  1013: 'try again later',
  1014: 'bad gateway',
  3000: 'unauthorized',
  3003: 'forbidden',
  3008: 'timeout',
}

export function closeCodeName(code: number): string | undefined {
  return NAMES[code]
}

/** The two that say goodbye are none, and what an application means by its own codes is not known. */
export function isFailure(code: number): boolean {
  return code !== 1000 && code !== 1001 && (code < 3000 || NAMES[code] !== undefined)
}
