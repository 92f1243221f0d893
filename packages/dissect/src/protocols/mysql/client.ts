import type { Frame } from '../../contract/dissector.ts'
import { type FieldValue, type Handoff, type Message, redraft } from '../../contract/message.ts'
import { copyOf } from '../../memory/arena.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { shareFields } from '../../pack/shared-fields.ts'
import { cutText, summaryOf } from '../../sql/statement-text.ts'
import { utf8Lossy } from '../../text/text.ts'
import { HEADER, int16, int32, MAX_LENGTH, zeroAt } from './bytes.ts'
import { CAPABILITY } from './capability.ts'
import { COMMAND, commandName, isCommand, isOneWay } from './command.ts'
import { evidence, PROOF } from './evidence.ts'
import { readChangeUser, readLogin } from './login.ts'
import { afterAttributes } from './query-attributes.ts'
import type { Question, Statement } from './question.ts'
import type { Session } from './session.ts'

/** The number by which a statement is executed whose own is not known yet. */
const LAST_PREPARED = 0xffffffff
const MAX_NAME_LENGTH = 256
const MAX_TYPES = 256
/** COM_STMT_EXECUTE: the number, flags, how often. */
const EXECUTE = 10
/** The flag of it that says that the count of parameters follows. */
const COUNTED = 8

/** What the client says. */
export class Client {
  readonly #session: Session
  /** A command of 16 MB and more goes on in the next packets. */
  #unfinished: PlacedMessage | undefined
  #question: Question | undefined

  constructor(session: Session) {
    this.#session = session
  }

  decode(frame: Frame): Message | Handoff | undefined {
    const { bytes, start, end, length } = frame
    const session = this.#session
    if (this.#unfinished !== undefined) return this.#continued(frame)
    if (session.sendsFile) {
      this.#file(frame)
      return undefined
    }
    const sequence = bytes[start + 3]
    if (length === HEADER) return undefined
    if (sequence === 1 && session.questions.length === 0 && evidence(bytes, start, end, 0) === PROOF)
      return this.#login(frame)
    if (sequence !== 0) {
      const asked = session.questions.at(-1)
      if (asked !== undefined) asked.sequence = sequence
      return undefined
    }
    const code = bytes[start + HEADER]
    if (!isCommand(code)) return undefined
    const message = this.#command(frame, code)
    if (length - HEADER !== MAX_LENGTH) return message
    this.#unfinished = message
    return undefined
  }

  lost(): void {
    this.#unfinished = undefined
    this.#session.sendsFile = false
    this.#session.lastPrepared = undefined
  }

  #continued({ bytes, start, length, endTime }: Frame): Message | undefined {
    const message = this.#unfinished
    if (message === undefined) return undefined
    message.size = (message.size ?? 0) + length
    message.end = endTime
    if (this.#question !== undefined) this.#question.sequence = bytes[start + 3]
    if (length - HEADER === MAX_LENGTH) return undefined
    this.#unfinished = undefined
    return message
  }

  /** A file ends with an empty packet. */
  #file({ bytes, start, end, length }: Frame): void {
    const { answer } = this.#session
    const asked = this.#session.questions[0]
    if (asked !== undefined) asked.sequence = bytes[start + 3]
    if (length === HEADER) this.#session.sendsFile = false
    else if (answer !== undefined) {
      answer.copiedBytes += length - HEADER
      answer.append(bytes, start + HEADER, end, length - HEADER)
    }
  }

  #login(frame: Frame): Message | Handoff | undefined {
    const { bytes, start, end, length, time, endTime } = frame
    const session = this.#session
    const at = start + HEADER
    if (length < HEADER + 32 || end - at < 32) return undefined
    const capabilities = int32(bytes, at)
    const times = { start: time, end: endTime, size: length }
    if (length === HEADER + 32 && capabilities & CAPABILITY.ssl) {
      const fields = { ...session.fields('SSLRequest'), ...session.greeting }
      return { kind: 'handoff', to: 'tls', message: redraft({ ...times, kind: 'event', fields }) }
    }
    session.greeted = false
    session.capabilities = capabilities & (session.offered ?? -1)
    const login = readLogin(bytes, at, end)
    session.login(login.user, login.database)
    const key = session.nextKey()
    session.ask({ code: COMMAND.login, key, sequence: 1, statement: undefined, database: undefined })
    return redraft({
      ...times,
      kind: 'request',
      key,
      fields: {
        ...session.fields('HandshakeResponse'),
        ...session.greeting,
        ...(login.plugin === undefined ? {} : { plugin: login.plugin }),
        ...(login.attributes === undefined ? {} : { attributes: login.attributes }),
      },
    })
  }

  #command(frame: Frame, code: number): PlacedMessage {
    const { bytes, start, end, length, time, endTime } = frame
    const session = this.#session
    const at = start + HEADER + 1
    const message = new PlacedMessage(isOneWay(code) ? 'event' : 'request')
    message.fields = session.fields(commandName(code))
    message.start = time
    message.end = endTime
    message.size = length
    if (end - start < length) message.truncated = true
    let statement: Statement | undefined
    let database: string | undefined
    switch (code) {
      case COMMAND.query:
        this.#text(message, bytes, this.#textStart(bytes, at, end), end)
        database = usedDatabase(message)
        break
      case COMMAND.stmtPrepare: {
        this.#text(message, bytes, at, end)
        const { head } = message
        statement = {
          text: head === undefined ? undefined : copyOf(head, 0, head.length),
          cut: message.truncated === true,
          id: -1,
          executions: 0,
          summary: undefined,
          parameters: -1,
          types: undefined,
          ahead: undefined,
          emitted: undefined,
        }
        session.lastPrepared = statement
        break
      }
      case COMMAND.stmtExecute:
      case COMMAND.stmtBulkExecute:
      case COMMAND.stmtFetch:
      case COMMAND.stmtReset:
      case COMMAND.stmtClose:
      case COMMAND.stmtSendLongData:
        statement = this.#prepared(message, frame, code)
        break
      case COMMAND.initDb:
      case COMMAND.createDb:
      case COMMAND.dropDb: {
        const name = utf8Lossy(bytes.subarray(at, Math.min(end, at + MAX_NAME_LENGTH)))
        message.fields = { ...message.fields, argument: name }
        if (code === COMMAND.initDb) database = name
        break
      }
      case COMMAND.fieldList: {
        const stop = Math.min(zeroAt(bytes, at, end), at + MAX_NAME_LENGTH)
        message.fields = { ...message.fields, argument: utf8Lossy(bytes.subarray(at, stop)) }
        break
      }
      case COMMAND.processKill:
        if (at + 4 <= end) message.fields = { ...message.fields, argument: String(int32(bytes, at)) }
        break
      case COMMAND.changeUser: {
        const login = readChangeUser(bytes, at, end, session.capabilities ?? -1)
        session.login(login.user, login.database)
        message.fields = session.fields(commandName(code))
        break
      }
    }
    if (message.kind === 'event') return message
    message.key = session.nextKey()
    const question: Question = { code, key: message.key, sequence: 0, statement, database }
    this.#question = question
    session.ask(question)
    return message
  }

  /** Clients that know of attributes send them always; if their capabilities were not captured, nothing shows it. */
  #textStart(bytes: Uint8Array, at: number, end: number): number {
    const { capabilities } = this.#session
    const may =
      capabilities === undefined
        ? bytes[at] === 0 && bytes[at + 1] === 1
        : this.#session.has(CAPABILITY.queryAttributes)
    const after = may ? afterAttributes(bytes, at, end) : at
    return after < 0 || after > end ? at : after
  }

  #text(message: PlacedMessage, bytes: Uint8Array, start: number, end: number): void {
    const { connection } = this.#session
    const kept = cutText(bytes, start, end, connection.limits.body)
    const at = connection.arena.place(bytes, start, kept)
    message.placeHead(connection.arena.placed, at, at + kept - start)
    if (kept < end) message.truncated = true
  }

  /** A command that names a statement by its number. */
  #prepared(
    message: PlacedMessage,
    { bytes, start, end, length }: Frame,
    code: number,
  ): Statement | undefined {
    const session = this.#session
    const at = start + HEADER + 1
    if (at + 4 > end) return undefined
    const id = int32(bytes, at)
    const known = id === LAST_PREPARED ? session.lastPrepared : session.statements.get(id)
    if (known?.text !== undefined) message.placeHead(known.text, 0, known.text.length)
    if (known?.cut) message.truncated = true
    const executes = code === COMMAND.stmtExecute
    if (executes && known?.text !== undefined) {
      if (++known.executions === 2) known.summary = summaryOf(known.text)
      message.note = known.summary
    }
    const counted = executes && (bytes[at + 4] & COUNTED) !== 0
    const has = executes && !counted && known !== undefined && known.parameters !== 0
    const parameters = has
      ? this.#parameters(message, known, bytes, start + HEADER + EXECUTE, end, length)
      : undefined
    message.fields = namedFields(message.fields, known, id, parameters)
    if (code === COMMAND.stmtClose) session.statements.delete(id)
    if (code === COMMAND.stmtReset && known !== undefined) known.ahead = undefined
    if (code === COMMAND.stmtSendLongData) this.#ahead(message, known, bytes, at, end, length)
    if (counted) this.#attributed(message, bytes, at, end, length)
    return known
  }

  /** A part of a long value, for the next execution. */
  #ahead(
    message: PlacedMessage,
    statement: Statement | undefined,
    bytes: Uint8Array,
    at: number,
    end: number,
    length: number,
  ): void {
    if (at + 6 > end) return
    const parameter = int16(bytes, at + 4)
    message.fields = { ...message.fields, parameter }
    this.#values(message, bytes, at + 6, end, length - 1 - 6)
    const known = statement?.ahead ?? []
    if (statement !== undefined && !known.includes(parameter) && known.length < MAX_TYPES)
      statement.ahead = [...known, parameter]
  }

  /** The count of parameters precedes them, and names of attributes are among them. */
  #attributed(message: PlacedMessage, bytes: Uint8Array, at: number, end: number, length: number): void {
    this.#values(message, bytes, at - 1 + EXECUTE, end, length - EXECUTE)
    message.fields = { ...message.fields, named: true }
  }

  #values(message: PlacedMessage, bytes: Uint8Array, start: number, end: number, packet: number): void {
    if (start >= end) return
    const { connection } = this.#session
    const kept = Math.min(end, start + connection.limits.body)
    const at = connection.arena.place(bytes, start, kept)
    message.placeBody(connection.arena.placed, at, at + kept - start)
    const size = packet - HEADER
    if (size <= kept - start) return
    message.bodySize = size
    message.truncated = true
  }

  #parameters(
    message: PlacedMessage,
    statement: Statement,
    bytes: Uint8Array,
    start: number,
    end: number,
    length: number,
  ): Execution | undefined {
    const count = statement.parameters
    if (start >= end || count < 0 || count > MAX_TYPES) return undefined
    const flag = start + ((count + 7) >> 3)
    if (flag < end && bytes[flag] === 1 && flag + 1 + 2 * count <= end)
      statement.types = readTypes(bytes, flag + 1, count, statement.types)
    this.#values(message, bytes, start, end, length - EXECUTE)
    const { ahead } = statement
    statement.ahead = undefined
    return { types: bytes[flag] === 1 ? undefined : statement.types, ahead }
  }
}

/** What an execution leaves for its fields. */
interface Execution {
  readonly types: readonly number[] | undefined
  readonly ahead: readonly number[] | undefined
}

/**
 * The fields of a command that names a statement. Executions of a statement differ in their values alone, so mostly the
 * same object does for all.
 */
function namedFields(
  base: Message['fields'],
  statement: Statement | undefined,
  id: number,
  execution: Execution | undefined,
): NonNullable<Message['fields']> {
  const types = execution?.types
  const plain =
    statement !== undefined && statement.id >= 0 && execution !== undefined && execution.ahead === undefined
  const last = plain ? statement.emitted : undefined
  if (last !== undefined && last.base === base && last.types === types && last.id === statement?.id)
    return last.fields
  const fields: { [name: string]: FieldValue } = { ...base }
  if (statement !== undefined && statement.id >= 0) fields.id = statement.id
  else if (id !== LAST_PREPARED) fields.id = id
  if (statement?.text === undefined) fields.unknown = true
  if (statement !== undefined && execution !== undefined) {
    fields.parameters = statement.parameters
    if (types !== undefined) fields.types = types
    if (execution.ahead !== undefined) fields.ahead = execution.ahead
  }
  if (plain) statement.emitted = { base, types, id: statement.id, fields: shareFields(fields) }
  return fields
}

/** The same list as before where it is the same: clients send it with each execution. */
function readTypes(
  bytes: Uint8Array,
  start: number,
  count: number,
  before: readonly number[] | undefined,
): readonly number[] {
  let i = 0
  if (before?.length === count) while (i < count && before[i] === int16(bytes, start + 2 * i)) i++
  if (before !== undefined && i === count && before.length === count) return before
  const types: number[] = []
  for (i = 0; i < count; i++) types.push(int16(bytes, start + 2 * i))
  return types
}

/** Of `USE name`, with or without quotes. */
function usedDatabase({ headIn, headAt, headEnd }: PlacedMessage): string | undefined {
  if (headIn === undefined || headEnd - headAt < 3 || headEnd - headAt > MAX_NAME_LENGTH) return undefined
  if (!isUse(headIn, headAt)) return undefined
  const text = utf8Lossy(headIn, headAt, headEnd)
  return /^use\s+(?:`([^`]+)`|([^\s;`]+))/i.exec(text)?.slice(1).find(Boolean)
}

function isUse(text: Uint8Array, at: number): boolean {
  return (text[at] | 0x20) === 0x75 && (text[at + 1] | 0x20) === 0x73 && (text[at + 2] | 0x20) === 0x65
}
