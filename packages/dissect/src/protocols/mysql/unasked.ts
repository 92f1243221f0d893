import type { Frame } from '../../contract/dissector.ts'
import { type Message, redraft } from '../../contract/message.ts'
import { HEADER, int16 } from './bytes.ts'
import { PROGRESS, readError } from './error-packet.ts'
import { readGreeting } from './login.ts'
import type { Session } from './session.ts'

/** The greeting, or an error without a request: too many connections, or a connection that idled for too long. */
export function readUnasked(frame: Frame, session: Session): Message | undefined {
  const { bytes, start, end, length, time, endTime } = frame
  const at = start + HEADER
  if (bytes[at] === 0x0a && bytes[start + 3] === 0) {
    const { version, thread, capabilities } = readGreeting(bytes, at, end)
    session.greeted = true
    session.offered = capabilities
    session.greeting = { server_version: version, thread }
    return undefined
  }
  if (bytes[at] !== 0xff || length < HEADER + 3) return undefined
  if (end - at >= 3 && int16(bytes, at + 1) === PROGRESS) return undefined
  const greeted = session.offered !== undefined || session.capabilities !== undefined
  return redraft({
    kind: 'event',
    ...(greeted ? {} : { from: 0 }),
    start: time,
    end: endTime,
    size: length,
    fields: { ...session.fields(greeted ? 'ERR' : 'Connect'), error: readError(bytes, at, end) },
  })
}
