import { utf8Lossy } from '../../text/text.ts'
import type { Answer } from './answer.ts'
import { int16, integerAt, integerSize, textEnd } from './bytes.ts'
import { CAPABILITY, STATUS } from './capability.ts'
import { textOf } from './login.ts'
import type { Session } from './session.ts'

const MAX_INFO_LENGTH = 4096

/** OK_Packet; the server's status is returned. */
export function readOk(
  answer: Answer,
  bytes: Uint8Array,
  start: number,
  end: number,
  session: Session,
): number {
  let at = start + 1
  const affected = integerAt(bytes, at)
  at += integerSize(bytes[at])
  const inserted = integerAt(bytes, at)
  at += integerSize(bytes[at])
  if (at + 4 > end) return 0
  // A procedure may change rows several times before it is done.
  answer.affected = Math.max(0, answer.affected) + affected
  if (inserted > 0) answer.inserted = inserted
  const status = int16(bytes, at)
  answer.warnings = int16(bytes, at + 2)
  at += 4
  if (at >= end) return status
  const guessed = (status & STATUS.sessionChanged) !== 0 || bytes[at] === end - at - 1
  const tracked = session.capabilities === undefined ? guessed : session.has(CAPABILITY.sessionTrack)
  const stop = tracked ? textEnd(bytes, at, end) : end
  if (stop < 0) return status
  const info = tracked ? textOf(bytes, at, stop) : utf8Lossy(bytes.subarray(at, stop))
  if (info !== '') answer.fact('info', info.slice(0, MAX_INFO_LENGTH))
  if (tracked && status & STATUS.sessionChanged) readChanges(answer, bytes, stop, end, session)
  return status
}

/** What the session's state has become: of that, the database and variables. */
function readChanges(answer: Answer, bytes: Uint8Array, start: number, end: number, session: Session): void {
  const stop = textEnd(bytes, start, end)
  if (stop < 0) return
  let at = start + integerSize(bytes[start])
  const variables: Record<string, string> = {}
  while (at < stop) {
    const type = bytes[at]
    const next = textEnd(bytes, at + 1, stop)
    if (next < 0) break
    let from = at + 1 + integerSize(bytes[at + 1])
    if (type === 1) {
      const nameEnd = textEnd(bytes, from, next)
      if (nameEnd > from + 1) session.use(textOf(bytes, from, nameEnd))
    } else if (type === 0)
      while (from < next) {
        const nameEnd = textEnd(bytes, from, next)
        const valueEnd = nameEnd < 0 ? -1 : textEnd(bytes, nameEnd, next)
        if (valueEnd < 0) break
        const name = textOf(bytes, from, nameEnd)
        if (name !== '__proto__') variables[name] = textOf(bytes, nameEnd, valueEnd)
        from = valueEnd
      }
    at = next
  }
  if (Object.keys(variables).length > 0) answer.fact('variables', variables)
}

/** What people look for in a server's status. */
export function noteStatus(answer: Answer, status: number): void {
  answer.transaction = (status & STATUS.inTransaction) !== 0
  if (status & STATUS.noIndex) answer.noIndex = true
  if (status & STATUS.slow) answer.slow = true
}
