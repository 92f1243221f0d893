import type { Connection, Frame } from '../../contract/dissector.ts'
import { type Message, redraft } from '../../contract/message.ts'
import { copyOf } from '../../memory/arena.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { packedFields, shareFields } from '../../pack/shared-fields.ts'
import { cutText, summaryOf } from '../../sql/statement-text.ts'
import { utf8Lossy, word } from '../../text/text.ts'
import { int16, int32, textEnd } from './bytes.ts'
import { FRONTEND, HEADER, SPECIAL } from './message-type.ts'
import type { RequestFields, Session } from './session.ts'
import { isNamed, isSaidAgain, makeStatement, type Statement } from './statement.ts'
import type { StepKind } from './step.ts'

const MAX_PORTALS = 64
const MAX_NAME_LENGTH = 256
const MAX_TYPES = 256

/** A statement with its parameters, ready to be executed. */
interface Portal {
  readonly statement: Statement
  /** Formats and values as Bind had them, `parameters[at, end)`, and their true size; absent without parameters. */
  readonly parameters: Uint8Array | undefined
  readonly at: number
  readonly end: number
  readonly size: number
}

/** What the client says. */
export class Frontend {
  readonly #session: Session
  readonly #connection: Connection
  /** Those with a name, and the one without. */
  readonly #portals = new Map<string, Portal>()
  #unnamed: Portal | undefined
  /** The statement that was asked for last, as long as none was prepared or forgotten since. */
  #last: Statement | undefined
  #lastAmong = -1
  /** Of the messages since the last Execute: they are its preparation. */
  #start = -1
  #size = 0

  constructor(session: Session) {
    this.#session = session
    this.#connection = session.connection
  }

  decode(frame: Frame): Message | undefined {
    const { bytes, start, end } = frame
    if (bytes[start] === 0) return this.#startup(frame)
    const at = start + HEADER
    switch (bytes[start]) {
      case FRONTEND.query:
        return this.#query(frame)
      case FRONTEND.parse:
        this.#parse(frame)
        return undefined
      case FRONTEND.bind:
        this.#bind(frame)
        return undefined
      case FRONTEND.describe:
        this.#prepares('describe', frame, this.#named(bytes, at, end))
        return undefined
      case FRONTEND.close:
        this.#prepares('close', frame, this.#named(bytes, at, end))
        this.#forget(bytes, at, end)
        return undefined
      case FRONTEND.execute:
        return this.#execute(frame)
      case FRONTEND.sync:
        this.#step('sync', -1, undefined, frame)
        this.#start = -1
        this.#size = 0
        return undefined
      case FRONTEND.functionCall:
        return this.#call(frame)
      case FRONTEND.password:
        this.#password(frame)
        return undefined
      case FRONTEND.copyData:
        this.#copyData(frame)
        return undefined
      default:
        return undefined
    }
  }

  /** What was bound may have changed in the lost bytes; statements with a name seldom do. */
  lost(): void {
    this.#portals.clear()
    this.#unnamed = undefined
    this.#session.statements.delete('')
    this.#start = -1
    this.#size = 0
  }

  #startup({ bytes, start, end, length, time, endTime }: Frame): Message {
    const session = this.#session
    const code = end - start >= 8 ? int32(bytes, start + 4) : 0
    const times = { start: time, end: endTime, size: length }
    if (code === SPECIAL.cancel)
      return redraft({
        ...times,
        kind: 'event',
        fields: { command: 'CancelRequest', ...(end - start >= 12 ? { pid: int32(bytes, start + 8) } : {}) },
      })
    const key = session.nextKey()
    if (code === SPECIAL.ssl || code === SPECIAL.gss) {
      session.encryption = code === SPECIAL.ssl ? 'SSLRequest' : 'GSSENCRequest'
      session.steps.push('encryption', key, undefined, time, length)
      return redraft({ ...times, kind: 'request', key, fields: session.fields(session.encryption) })
    }
    const settings = readSettings(bytes, start + 8, end)
    session.login(settings.user, settings.database)
    session.steps.push('startup', key, undefined, time, length)
    return redraft({
      ...times,
      kind: 'request',
      key,
      fields: {
        ...session.fields('StartupMessage'),
        ...(end - start >= 8 ? { version: `${int16(bytes, start + 4)}.${int16(bytes, start + 6)}` } : {}),
        settings,
      },
      ...(end - start < length ? { truncated: true } : {}),
    })
  }

  #query(frame: Frame): Message {
    const { bytes, start, end, length, time, endTime } = frame
    const key = this.#session.nextKey()
    this.#step('query', key, undefined, frame)
    const stop = textEnd(bytes, start + HEADER, end)
    const kept = cutText(bytes, start + HEADER, stop, this.#connection.limits.body)
    const { arena } = this.#connection
    const at = arena.place(bytes, start + HEADER, kept)
    const message = new PlacedMessage('request')
    message.placeHead(arena.placed, at, at + kept - start - HEADER)
    message.key = key
    this.#session.describe(message, 'Query')
    message.start = time
    message.end = endTime
    message.size = length
    if (kept < start + length - 1) message.truncated = true
    return message
  }

  #parse(frame: Frame): void {
    const { bytes, start, end, length } = frame
    const nameEnd = textEnd(bytes, start + HEADER, end)
    const from = Math.min(nameEnd + 1, end)
    const before = this.#prepared(bytes, start + HEADER, nameEnd)
    // The same statement is sent again and again where a client never names its statements.
    if (before !== undefined && isSaidAgain(before, bytes, from, end)) {
      this.#prepares('parse', frame, before)
      return
    }
    const stop = textEnd(bytes, from, end)
    const kept = cutText(bytes, from, stop, this.#connection.limits.body)
    const cut = kept < stop || (stop === end && end - start < length)
    const text = copyOf(bytes, from, kept)
    const name = nameOf(bytes, start + HEADER, nameEnd)
    const statement = makeStatement(name, text, cut, readTypes(bytes, stop + 1, end))
    this.#session.statements.set(name, statement)
    this.#prepares('parse', frame, statement)
  }

  #bind(frame: Frame): void {
    const { bytes, start, end, length } = frame
    const portalEnd = textEnd(bytes, start + HEADER, end)
    const nameEnd = textEnd(bytes, portalEnd + 1, end)
    const statement = this.#statement(bytes, portalEnd + 1, nameEnd)
    const from = Math.min(nameEnd + 1, end)
    // No formats, no values and the text format for all results is what says nothing.
    const left = end - from
    const plain = left >= 4 && left <= 6 && int16(bytes, from) === 0 && int16(bytes, from + 2) === 0
    const kept = Math.min(end, from + this.#connection.limits.body)
    const { arena } = this.#connection
    const at = plain ? 0 : arena.place(bytes, from, kept)
    const portal: Portal = {
      statement,
      parameters: plain ? undefined : arena.placed,
      at,
      end: plain ? 0 : at + kept - from,
      size: plain ? 0 : start + length - from,
    }
    if (portalEnd === start + HEADER) this.#unnamed = portal
    else {
      if (this.#portals.size >= MAX_PORTALS) this.#portals.clear()
      this.#portals.set(nameOf(bytes, start + HEADER, portalEnd), portal)
    }
    this.#prepares('bind', frame, statement)
  }

  #execute(frame: Frame): Message {
    const { bytes, start, end, length, time, endTime } = frame
    const session = this.#session
    const portalEnd = textEnd(bytes, start + HEADER, end)
    const name = nameOf(bytes, start + HEADER, portalEnd)
    const portal = this.#portal(name)
    const statement = portal?.statement
    const mostRows = portalEnd + 5 <= end ? int32(bytes, portalEnd + 1) : 0
    const key = session.nextKey()
    this.#step('execute', key, statement, frame)
    if (statement?.text !== undefined && ++statement.executions === 2)
      statement.summary = summaryOf(statement.text)
    const text = statement?.text
    const message = new PlacedMessage('request')
    if (text !== undefined) message.placeHead(text, 0, text.length)
    message.key = key
    if (statement !== undefined && name === '' && mostRows === 0) {
      this.#describe(message, statement)
      message.note = statement.summary
    } else message.fields = this.#executeFields(statement, name, mostRows)
    message.start = this.#start < 0 ? time : this.#start
    message.end = endTime
    message.size = this.#size + length
    if (statement?.cut) message.truncated = true
    if (portal?.parameters !== undefined) {
      message.placeBody(portal.parameters, portal.at, portal.end)
      if (portal.size > portal.end - portal.at) {
        message.bodySize = portal.size
        message.truncated = true
      }
    }
    this.#start = -1
    this.#size = 0
    return message
  }

  /** What every plain execution says. */
  #describe(message: PlacedMessage, statement: Statement): void {
    if (statement.fields === undefined) {
      statement.fields = shareFields(this.#statementFields(statement))
      statement.packed = packedFields(statement.fields)
    }
    message.fields = statement.fields
    message.packed = statement.packed
  }

  #executeFields(statement: Statement | undefined, portal: string, mostRows: number): RequestFields {
    return {
      ...this.#statementFields(statement),
      ...(portal === '' ? {} : { portal }),
      ...(mostRows === 0 ? {} : { most_rows: mostRows }),
    }
  }

  #statementFields(statement: Statement | undefined): RequestFields {
    const fields = this.#session.fields('Execute')
    if (statement?.name === '' && statement.types === undefined && statement.text !== undefined) return fields
    return {
      ...fields,
      ...(statement?.text === undefined ? { unknown: true } : {}),
      ...(statement === undefined || statement.name === '' ? {} : { name: statement.name }),
      ...(statement?.types === undefined ? {} : { types: statement.types }),
    }
  }

  #call(frame: Frame): Message {
    const { bytes, start, end, length, time, endTime } = frame
    const key = this.#session.nextKey()
    this.#step('function', key, undefined, frame)
    return redraft({
      kind: 'request',
      key,
      fields: {
        ...this.#session.fields('FunctionCall'),
        ...(end - start >= HEADER + 4 ? { function: int32(bytes, start + HEADER) >>> 0 } : {}),
      },
      start: time,
      end: endTime,
      size: length,
    })
  }

  /** Of passwords and proofs nothing is kept; of SASL the name of its mechanism. */
  #password({ bytes, start, end, length, time }: Frame): void {
    const stop = textEnd(bytes, start + HEADER, end)
    const mechanism = word(bytes, start + HEADER, Math.min(stop, start + HEADER + 32))
    if (this.#session.steps.first?.kind !== 'startup') return
    if (/^(SCRAM-SHA-\d+(-PLUS)?|OAUTHBEARER)$/.test(mechanism) && length > stop - start + 1)
      this.#session.answering(time).fact('mechanism', mechanism)
  }

  #copyData({ bytes, start, end, length }: Frame): void {
    const answer = this.#session.answer
    if (answer === undefined || (answer.copy !== 'in' && answer.copy !== 'both')) return
    countCopied(answer, bytes, start, end, length)
    if (answer.copy === 'in') answer.append(bytes, start, end, length)
  }

  #prepares(kind: StepKind, frame: Frame, statement: Statement | undefined): void {
    if (this.#start < 0) this.#start = frame.time
    this.#size += frame.length
    this.#step(kind, -1, statement, frame)
  }

  #step(kind: StepKind, key: number, statement: Statement | undefined, { time, length }: Frame): void {
    this.#session.steps.push(kind, key, statement, time, length)
  }

  /** What a Describe or a Close speaks of. */
  #named(bytes: Uint8Array, at: number, end: number): Statement | undefined {
    const nameEnd = textEnd(bytes, at + 1, end)
    if (bytes[at] === 0x53) return this.#statement(bytes, at + 1, nameEnd)
    return this.#portal(nameOf(bytes, at + 1, nameEnd))?.statement
  }

  #forget(bytes: Uint8Array, at: number, end: number): void {
    const name = nameOf(bytes, at + 1, textEnd(bytes, at + 1, end))
    if (bytes[at] === 0x53) this.#session.statements.delete(name)
    else if (name === '') this.#unnamed = undefined
    else this.#portals.delete(name)
  }

  #portal(name: string): Portal | undefined {
    return name === '' ? this.#unnamed : this.#portals.get(name)
  }

  #statement(bytes: Uint8Array, start: number, end: number): Statement {
    return (
      this.#prepared(bytes, start, end) ??
      makeStatement(nameOf(bytes, start, end), undefined, false, undefined)
    )
  }

  /** The statement of that name, if it is known. Mostly it is the one that was asked for last. */
  #prepared(bytes: Uint8Array, start: number, end: number): Statement | undefined {
    const { statements } = this.#session
    const last = this.#last
    if (last !== undefined && this.#lastAmong === statements.changes && isNamed(last, bytes, start, end))
      return last
    const found = statements.get(nameOf(bytes, start, end))
    this.#last = found
    this.#lastAmong = statements.changes
    return found
  }
}

/** Counts the CopyData messages of a frame, which may hold several. */
export function countCopied(
  into: { copied: number; copiedBytes: number },
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
): void {
  for (let at = start; at + HEADER <= end; at += 1 + int32(bytes, at + 1)) {
    into.copied++
    into.copiedBytes -= HEADER
  }
  into.copiedBytes += length
}

function nameOf(bytes: Uint8Array, start: number, end: number): string {
  return start >= end ? '' : word(bytes, start, Math.min(end, start + MAX_NAME_LENGTH))
}

function readTypes(bytes: Uint8Array, start: number, end: number): number[] | undefined {
  if (start + 2 > end) return undefined
  const count = Math.min(int16(bytes, start), MAX_TYPES)
  if (count === 0 || start + 2 + 4 * count > end) return undefined
  return Array.from({ length: count }, (_, index) => int32(bytes, start + 2 + 4 * index) >>> 0)
}

/** Names and values in turns, until an empty name. */
function readSettings(bytes: Uint8Array, start: number, end: number): Record<string, string> {
  const settings: Record<string, string> = {}
  for (let at = start; at < end && bytes[at] !== 0; ) {
    const nameEnd = textEnd(bytes, at, end)
    const valueEnd = textEnd(bytes, nameEnd + 1, end)
    if (nameEnd + 1 > end) break
    const name = utf8Lossy(bytes.subarray(at, nameEnd))
    if (name !== '__proto__') settings[name] = utf8Lossy(bytes.subarray(nameEnd + 1, valueEnd))
    at = valueEnd + 1
  }
  return settings
}
