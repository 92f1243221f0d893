import { alertName } from '../tls/alert.ts'

/** RFC 9000 §20.1. */
const NAMES: Readonly<Record<number, string | undefined>> = {
  0: 'NO_ERROR',
  1: 'INTERNAL_ERROR',
  2: 'CONNECTION_REFUSED',
  3: 'FLOW_CONTROL_ERROR',
  4: 'STREAM_LIMIT_ERROR',
  5: 'STREAM_STATE_ERROR',
  6: 'FINAL_SIZE_ERROR',
  7: 'FRAME_ENCODING_ERROR',
  8: 'TRANSPORT_PARAMETER_ERROR',
  9: 'CONNECTION_ID_LIMIT_ERROR',
  10: 'PROTOCOL_VIOLATION',
  11: 'INVALID_TOKEN',
  12: 'APPLICATION_ERROR',
  13: 'CRYPTO_BUFFER_EXCEEDED',
  14: 'KEY_UPDATE_ERROR',
  15: 'AEAD_LIMIT_REACHED',
  16: 'NO_VIABLE_PATH',
  17: 'VERSION_NEGOTIATION_ERROR',
}

/** Errors of the handshake are TLS alerts: RFC 9001 §4.8. */
export function errorName(code: number): string {
  if (code >= 0x100 && code <= 0x1ff) return alertName(code - 0x100)
  return NAMES[code] ?? `0x${code.toString(16)}`
}
