import type { FieldValue } from '../../contract/message.ts'
import { latin1, utf8Lossy } from '../../text/text.ts'
import { int16 } from './bytes.ts'

/** MariaDB reports progress in a packet that looks like an error of this number. */
export const PROGRESS = 0xffff
const MAX_MESSAGE_LENGTH = 4096

/** ERR_Packet: before the login it has no SQLSTATE. */
export function readError(
  bytes: Uint8Array,
  start: number,
  end: number,
): { readonly [name: string]: FieldValue } {
  const hasState = end - start >= 9 && bytes[start + 3] === 0x23
  const from = hasState ? start + 9 : start + 3
  return {
    ...(end - start >= 3 ? { code: int16(bytes, start + 1) } : {}),
    ...(hasState ? { state: latin1(bytes, start + 4, start + 9) } : {}),
    message: utf8Lossy(bytes.subarray(from, Math.min(end, from + MAX_MESSAGE_LENGTH))),
  }
}
