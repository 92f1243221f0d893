import { AvpReader } from './avp.ts'

/** RFC 6733 §7.1, RFC 8506 §9. */
const RESULTS: Readonly<Record<number, string>> = {
  1001: 'DIAMETER_MULTI_ROUND_AUTH',
  2001: 'DIAMETER_SUCCESS',
  2002: 'DIAMETER_LIMITED_SUCCESS',
  3001: 'DIAMETER_COMMAND_UNSUPPORTED',
  3002: 'DIAMETER_UNABLE_TO_DELIVER',
  3003: 'DIAMETER_REALM_NOT_SERVED',
  3004: 'DIAMETER_TOO_BUSY',
  3005: 'DIAMETER_LOOP_DETECTED',
  3006: 'DIAMETER_REDIRECT_INDICATION',
  3007: 'DIAMETER_APPLICATION_UNSUPPORTED',
  3008: 'DIAMETER_INVALID_HDR_BITS',
  3009: 'DIAMETER_INVALID_AVP_BITS',
  3010: 'DIAMETER_UNKNOWN_PEER',
  4001: 'DIAMETER_AUTHENTICATION_REJECTED',
  4002: 'DIAMETER_OUT_OF_SPACE',
  4003: 'ELECTION_LOST',
  4010: 'DIAMETER_END_USER_SERVICE_DENIED',
  4011: 'DIAMETER_CREDIT_CONTROL_NOT_APPLICABLE',
  4012: 'DIAMETER_CREDIT_LIMIT_REACHED',
  5001: 'DIAMETER_AVP_UNSUPPORTED',
  5002: 'DIAMETER_UNKNOWN_SESSION_ID',
  5003: 'DIAMETER_AUTHORIZATION_REJECTED',
  5004: 'DIAMETER_INVALID_AVP_VALUE',
  5005: 'DIAMETER_MISSING_AVP',
  5006: 'DIAMETER_RESOURCES_EXCEEDED',
  5007: 'DIAMETER_CONTRADICTING_AVPS',
  5008: 'DIAMETER_AVP_NOT_ALLOWED',
  5009: 'DIAMETER_AVP_OCCURS_TOO_MANY_TIMES',
  5010: 'DIAMETER_NO_COMMON_APPLICATION',
  5011: 'DIAMETER_UNSUPPORTED_VERSION',
  5012: 'DIAMETER_UNABLE_TO_COMPLY',
  5013: 'DIAMETER_INVALID_BIT_IN_HEADER',
  5014: 'DIAMETER_INVALID_AVP_LENGTH',
  5015: 'DIAMETER_INVALID_MESSAGE_LENGTH',
  5016: 'DIAMETER_INVALID_AVP_BIT_COMBO',
  5017: 'DIAMETER_NO_COMMON_SECURITY',
  5030: 'DIAMETER_USER_UNKNOWN',
  5031: 'DIAMETER_RATING_FAILED',
}
/** Experimental results of 3GPP: TS 29.230 §8.1. */
const EXPERIMENTAL: Readonly<Record<number, string>> = {
  2001: 'DIAMETER_FIRST_REGISTRATION',
  2002: 'DIAMETER_SUBSEQUENT_REGISTRATION',
  2003: 'DIAMETER_UNREGISTERED_SERVICE',
  4181: 'DIAMETER_AUTHENTICATION_DATA_UNAVAILABLE',
  5001: 'DIAMETER_ERROR_USER_UNKNOWN',
  5002: 'DIAMETER_ERROR_IDENTITIES_DONT_MATCH',
  5003: 'DIAMETER_ERROR_IDENTITY_NOT_REGISTERED',
  5004: 'DIAMETER_ERROR_ROAMING_NOT_ALLOWED',
  5420: 'DIAMETER_ERROR_UNKNOWN_EPS_SUBSCRIPTION',
  5421: 'DIAMETER_ERROR_RAT_NOT_ALLOWED',
  5422: 'DIAMETER_ERROR_EQUIPMENT_UNKNOWN',
}
const THREE_GPP = 10415
const RESULT_CODE = 268
const EXPERIMENTAL_RESULT = 297
const VENDOR_ID = 266
const EXPERIMENTAL_RESULT_CODE = 298

export interface Result {
  readonly code: number
  /** The code's name; a number where it has none. */
  readonly name: string | number
  /** Who gave the code its meaning, where that is not the base protocol. */
  readonly vendor?: number
}

/** The outcome that an answer tells: a Result-Code, or an Experimental-Result of some vendor. */
export function resultOf(head: Uint8Array): Result | undefined {
  const avps = new AvpReader(head)
  while (avps.next()) {
    if (avps.vendor !== 0) continue
    if (avps.code === RESULT_CODE && avps.number() >= 0) {
      const code = avps.number()
      return { code, name: RESULTS[code] ?? code }
    }
    if (avps.code === EXPERIMENTAL_RESULT) return experimental(avps.inside())
  }
  return undefined
}

function experimental(avps: AvpReader): Result | undefined {
  let vendor = 0
  let code = -1
  while (avps.next()) {
    if (avps.code === VENDOR_ID) vendor = avps.number()
    else if (avps.code === EXPERIMENTAL_RESULT_CODE) code = avps.number()
  }
  if (code < 0) return undefined
  return { code, vendor, name: (vendor === THREE_GPP ? EXPERIMENTAL[code] : undefined) ?? code }
}

/** Protocol errors, transient and permanent failures: RFC 6733 §7.1. */
export function isFailure({ code }: Result): boolean {
  return code >= 3000
}
