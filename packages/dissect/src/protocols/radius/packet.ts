import { Malformed } from '@tapdeck/wire'

/** Code, identifier, length, authenticator: RFC 2865 §3. */
export const HEADER = 20
export const MAX_SIZE = 4096
export const USER_NAME = 1

/** RFC 2865, 2866, 5176, 5997. */
const CODES: Readonly<Record<number, string>> = {
  1: 'Access-Request',
  2: 'Access-Accept',
  3: 'Access-Reject',
  4: 'Accounting-Request',
  5: 'Accounting-Response',
  11: 'Access-Challenge',
  12: 'Status-Server',
  13: 'Status-Client',
  40: 'Disconnect-Request',
  41: 'Disconnect-ACK',
  42: 'Disconnect-NAK',
  43: 'CoA-Request',
  44: 'CoA-ACK',
  45: 'CoA-NAK',
}
const ACCESS_REJECT = 3
const DISCONNECT_NAK = 42
const COA_NAK = 45

export function codeName(code: number): string | undefined {
  return CODES[code]
}

export function isRequest(code: number): boolean {
  return code === 1 || code === 4 || code === 12 || code === 13 || code === 40 || code === 43
}

export function isFailure(code: number): boolean {
  return code === ACCESS_REJECT || code === DISCONNECT_NAK || code === COA_NAK
}

/** Says where each attribute of `bytes[start, end)` stands, value only, in turn. */
export function walk(
  bytes: Uint8Array,
  start: number,
  end: number,
  visit: (type: number, from: number, to: number) => void,
): void {
  for (let at = start; at < end; ) {
    const length = at + 1 < end ? bytes[at + 1] : 0
    if (length < 2 || at + length > end) throw new Malformed('length of an attribute')
    visit(bytes[at], at + 2, at + length)
    at += length
  }
}

/** Where the attribute of that type begins, with its header; -1 where there is none. */
export function find(bytes: Uint8Array, type: number): number {
  for (let at = HEADER; at + 2 <= bytes.length; at += bytes[at + 1]) {
    if (bytes[at + 1] < 2) return -1
    if (bytes[at] === type) return at + bytes[at + 1] <= bytes.length ? at : -1
  }
  return -1
}
