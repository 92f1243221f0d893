import type { Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { latin1, utf8Lossy } from '../../text/text.ts'
import type { Answer } from './answer.ts'
import { HEADER, int16, int24, int32, integerAt, integerSize, MAX_LENGTH, zeroAt } from './bytes.ts'
import { CAPABILITY, STATUS } from './capability.ts'
import { COMMAND } from './command.ts'
import { PROGRESS, readError } from './error-packet.ts'
import { noteStatus, readOk } from './ok-packet.ts'
import type { Question } from './question.ts'
import type { Session } from './session.ts'
import { readUnasked } from './unasked.ts'

/**
 * What the next packet of the server is. `idle`: the first of an answer. `parameters`, `columns`: definitions that
 * are counted. `listed`: definitions up to an end mark. `rows`: up to an end mark. `stream`: until it closes.
 */
type Phase = 'idle' | 'parameters' | 'columns' | 'listed' | 'rows' | 'stream'

const MAX_MESSAGE_LENGTH = 4096
/** An EOF packet: a mark, warnings, status. An OK packet in its place is longer. */
const EOF_LENGTH = 5

type Said = Message | undefined

/** What the server says. */
export class Server {
  readonly #session: Session
  phase: Phase = 'idle'
  /** Definitions that are still to come in this phase, and in the one after it. */
  #left = 0
  #columnsLeft = 0
  /** The packet is a part of the one before it. */
  #continues = false
  /** Bytes were lost: the next packet may be in the middle of an answer. */
  #adrift = false
  /** The next packet goes on with an answer of which the beginning is lost. */
  #midway = false
  /** Whether marks end definitions: agreed on, or seen; undefined while neither. */
  #marks: boolean | undefined
  /** This result has had neither a row nor a mark. */
  #fresh = false

  constructor(session: Session) {
    this.#session = session
  }

  get room(): number {
    return this.#session.answer?.room ?? this.#session.connection.limits.body
  }

  /** A packet; or several at once that are rows, or definitions, of one answer. */
  decode(frame: Frame, packets = 1): Said {
    const { bytes, start, end, length, time } = frame
    const session = this.#session
    const size = int24(bytes, start)
    if (this.#continues) {
      this.#continues = size === MAX_LENGTH
      const { answer } = session
      if (answer !== undefined) answer.size += length
      return undefined
    }
    if (this.phase === 'idle' && session.questions.length > 1) this.#catchUp(bytes[start + 3])
    const question = session.questions[0]
    if (question === undefined && session.answer === undefined && !this.#answersUnseen(frame))
      return readUnasked(frame, session)
    if (this.#adrift && !this.#finds(bytes[start + 3], question)) return undefined
    if (session.answer === undefined && this.phase !== 'idle' && !this.#midway) this.phase = 'idle'
    // What does not count on from the question belongs to the answer before.
    if (this.phase === 'idle' && session.answer === undefined && question !== undefined)
      if (bytes[start + 3] !== ((question.sequence + 1) & 255)) return undefined
    const answer = session.answering(time)
    if (this.#midway) answer.truncated = true
    this.#midway = false
    answer.size += length
    if (this.phase === 'rows') return this.#rows(answer, frame, packets)
    this.#continues = size === MAX_LENGTH
    const at = start + HEADER
    switch (this.phase) {
      case 'idle':
        return size === 0 ? undefined : this.#first(answer, frame, question)
      case 'parameters':
      case 'columns':
        return this.#definition(answer, frame, question, packets)
      case 'listed':
      case 'stream':
        if (bytes[at] === 0xff) return this.#error(answer, frame)
        if (bytes[at] === 0xfe && size < 9) return this.#close(answer, frame)
        if (this.phase === 'listed') answer.columns++
        else {
          answer.rows++
          answer.append(bytes, start, end, length)
        }
        return undefined
    }
  }

  lost(): void {
    const { answer } = this.#session
    if (answer !== undefined) answer.truncated = true
    this.#session.unsure = true
    this.#adrift = true
    this.#continues = false
  }

  /** The connection ended in the middle of an answer. */
  finish(time: number): Message | undefined {
    const { answer, questions } = this.#session
    const question = questions[0]
    if (answer === undefined) return undefined
    // Between two of its results it has already emitted something.
    if (question === undefined || (this.phase === 'idle' && answer.results === 0)) {
      answer.drop()
      this.#session.answer = undefined
      return undefined
    }
    answer.truncated = true
    return this.#end(answer, question.key, time)
  }

  /** Whether rows may come here: they come in runs, which are read at once. */
  get inRows(): boolean {
    return this.phase === 'rows' && this.#steady()
  }

  /** The next packet is what the phase says. */
  #steady(): boolean {
    return this.#session.answer !== undefined && !this.#continues && !this.#adrift
  }

  /** How many definitions may come here: they come in runs, too. */
  get definitions(): number {
    const counted = this.phase === 'columns' || this.phase === 'parameters'
    return counted && this.#steady() ? this.#left : 0
  }

  /** After a gap: this packet begins an answer, or goes on with one of which the beginning is lost. */
  #finds(sequence: number, question: Question | undefined): boolean {
    if (question === undefined && sequence !== 1) return false
    this.#adrift = false
    const begins = sequence === (((question?.sequence ?? 0) + 1) & 255)
    this.#midway = !begins || this.#session.answer !== undefined
    this.phase = this.#midway ? 'rows' : 'idle'
    return true
  }

  /** Packets of an answer count on from those of its question: one that fits a later question has skipped some. */
  #catchUp(sequence: number): void {
    const { questions } = this.#session
    const fits = questions.findIndex((question) => sequence === ((question.sequence + 1) & 255))
    if (fits > 0 && this.#session.answer === undefined) questions.splice(0, fits)
  }

  /** An answer to a command that was not captured begins with the number after that of the command. */
  #answersUnseen({ bytes, start }: Frame): boolean {
    const { flow } = this.#session.connection
    return (
      bytes[start + 3] === 1 &&
      !this.#session.greeted &&
      (flow.midstream || this.#session.unsure || this.#adrift)
    )
  }

  #first(answer: Answer, frame: Frame, question: Question | undefined): Said {
    const { bytes, start, end, length } = frame
    const at = start + HEADER
    const mark = bytes[at]
    const size = length - HEADER
    const code = question?.code ?? COMMAND.unknown
    if (mark === 0xff) return this.#error(answer, frame)
    switch (code) {
      case COMMAND.login:
      case COMMAND.changeUser:
        return this.#loggedIn(answer, frame, mark, code)
      case COMMAND.statistics:
        answer.fact('info', utf8Lossy(bytes, at, Math.min(end, at + MAX_MESSAGE_LENGTH)))
        return this.#close(answer, frame)
      case COMMAND.stmtPrepare:
        return mark === 0 ? this.#prepared(answer, frame, question) : this.#close(answer, frame)
      case COMMAND.fieldList:
        this.phase = 'listed'
        if (mark === 0xfe && size < 9) return this.#close(answer, frame)
        answer.columns++
        return undefined
      case COMMAND.stmtFetch:
        this.phase = 'rows'
        answer.hasRows = true
        return this.#rows(answer, frame, 1)
      case COMMAND.binlogDump:
      case COMMAND.binlogDumpGtid:
        this.phase = 'stream'
        answer.rows++
        answer.hasRows = true
        answer.append(bytes, start, end, length)
        // It may last for days.
        return question === undefined ? undefined : answer.part(question.key, frame.endTime)
    }
    if (mark === 0) return this.#ok(answer, frame, question)
    if (mark === 0xfe && size <= 9) return this.#eof(answer, frame)
    if (mark === 0xfb) {
      answer.fact('local_file', utf8Lossy(bytes, at + 1, Math.min(end, at + 1 + MAX_MESSAGE_LENGTH)))
      answer.copiedBytes = 0
      this.#session.sendsFile = true
      if (question !== undefined) question.sequence = bytes[start + 3]
      return undefined
    }
    return this.#columnCount(answer, frame)
  }

  #loggedIn(answer: Answer, frame: Frame, mark: number, code: number): Said {
    const { bytes, start, end } = frame
    const at = start + HEADER
    if (mark === 0xfe && end > at + 1)
      answer.fact('plugin', latin1(bytes, at + 1, Math.min(zeroAt(bytes, at + 1, end), at + 65)))
    if (mark !== 0) return undefined
    readOk(answer, bytes, at, end, this.#session)
    const message = this.#close(answer, frame)
    if (code === COMMAND.login) this.#agreed()
    return message
  }

  /** From here on both sides keep to what they agreed on. */
  #agreed(): void {
    const session = this.#session
    this.#marks = !session.has(CAPABILITY.deprecateEof)
    if (session.has(CAPABILITY.compress)) session.compression = 'zlib'
    else if (session.has(CAPABILITY.zstd)) session.compression = 'zstd'
  }

  #ok(answer: Answer, frame: Frame, question: Question | undefined): Said {
    const { bytes, start, end } = frame
    const status = readOk(answer, bytes, start + HEADER, end, this.#session)
    if (question?.database !== undefined) this.#session.use(question.database)
    if (question?.code === COMMAND.resetConnection) this.#session.statements.clear()
    return this.#ends(answer, frame, status)
  }

  /** The same result in its old form. */
  #eof(answer: Answer, frame: Frame): Said {
    const { bytes, start, end } = frame
    const at = start + HEADER
    if (end < at + EOF_LENGTH) return this.#close(answer, frame)
    answer.warnings = int16(bytes, at + 1)
    return this.#ends(answer, frame, int16(bytes, at + 3))
  }

  /** A result is over; another may follow. */
  #ends(answer: Answer, frame: Frame, status: number): Said {
    noteStatus(answer, status)
    answer.results++
    this.phase = 'idle'
    if ((status & STATUS.moreResults) === 0) return this.#close(answer, frame)
    const { bytes, start, end, length } = frame
    answer.append(bytes, start, end, length)
    return undefined
  }

  #prepared(answer: Answer, frame: Frame, question: Question | undefined): Said {
    const { bytes, start, end } = frame
    const at = start + HEADER
    if (end - at < 9) return this.#close(answer, frame)
    const id = int32(bytes, at + 1)
    const columns = int16(bytes, at + 5)
    const parameters = int16(bytes, at + 7)
    answer.fact('id', id)
    answer.fact('columns', columns)
    answer.fact('parameters', parameters)
    if (end - at >= 12) answer.warnings = int16(bytes, at + 10)
    const statement = question?.statement
    if (statement !== undefined) {
      statement.id = id
      statement.parameters = parameters
      this.#session.statements.set(id, statement)
    }
    this.#columnsLeft = columns
    return this.#define(answer, frame, 'parameters', parameters)
  }

  #columnCount(answer: Answer, frame: Frame): Said {
    const { bytes, start, end, length } = frame
    const at = start + HEADER
    const optional = this.#session.has(CAPABILITY.optionalMetadata) && length === HEADER + 2
    const counted = optional ? at + 1 : at
    // A capture may have cut it off.
    const isWhole = counted < end && counted + integerSize(bytes[counted]) <= end
    const count = isWhole ? integerAt(bytes, counted) : 0
    // MariaDB may leave out definitions that the client has from before; it says so after the count.
    const size = integerSize(bytes[at])
    const known = optional ? bytes[at] === 0 : at + size < end && bytes[at + size] === 0
    answer.hasRows = true
    answer.columns = count
    answer.append(bytes, start, end, length)
    this.#columnsLeft = 0
    if (known) {
      this.phase = 'rows'
      return undefined
    }
    return this.#define(answer, frame, 'columns', count)
  }

  /** So many definitions come next; with none, what comes after them. */
  #define(answer: Answer, frame: Frame, phase: 'parameters' | 'columns', count: number): Said {
    this.phase = phase
    this.#left = count
    return count > 0 ? undefined : this.#defined(answer, frame)
  }

  #definition(answer: Answer, frame: Frame, question: Question | undefined, packets: number): Said {
    const { bytes, start, end, length } = frame
    const mark = bytes[start + HEADER]
    if (mark === 0xff) return this.#error(answer, frame)
    if (question?.code !== COMMAND.stmtPrepare) answer.append(bytes, start, end, length)
    if (mark === 0xfe && length === HEADER + EOF_LENGTH)
      // With some still to come, this ended those before them.
      return this.#left > 0 ? undefined : this.#defined(answer, frame)
    this.#left = Math.max(0, this.#left - packets)
    if (this.#left > 0 || this.#marks === true) return undefined
    return this.#defined(answer, frame)
  }

  #defined(answer: Answer, frame: Frame): Said {
    const { bytes, start, length } = frame
    if (this.phase === 'parameters') {
      const columns = this.#columnsLeft
      this.#columnsLeft = 0
      if (columns > 0) return this.#define(answer, frame, 'columns', columns)
      return this.#close(answer, frame)
    }
    if (this.#session.questions[0]?.code === COMMAND.stmtPrepare) return this.#close(answer, frame)
    this.phase = 'rows'
    this.#fresh = true
    const marked = bytes[start + HEADER] === 0xfe && length === HEADER + EOF_LENGTH
    // With a cursor the rows are fetched later.
    if (marked && hasCursor(frame)) return this.#eof(answer, frame)
    return undefined
  }

  #rows(answer: Answer, frame: Frame, packets: number): Said {
    const { bytes, start, end, length } = frame
    const size = int24(bytes, start)
    const mark = bytes[start + HEADER]
    if (mark === 0xff && size >= 3) return this.#error(answer, frame)
    if (mark === 0xfe && size < MAX_LENGTH) {
      // Where it was not known whether a mark follows the definitions, it may be this one.
      if (size === EOF_LENGTH && this.#fresh && this.#marks === undefined) {
        this.#marks = true
        answer.append(bytes, start, end, length)
        return hasCursor(frame) ? this.#eof(answer, frame) : undefined
      }
      if (size === EOF_LENGTH) return this.#eof(answer, frame)
      const { affected } = answer
      const status = readOk(answer, bytes, start + HEADER, end, this.#session)
      // Rows that were read are not affected.
      if (affected < 0) answer.affected = affected
      return this.#ends(answer, frame, status)
    }
    if (this.#fresh && this.#marks === undefined && this.phase === 'rows') this.#marks = false
    this.#fresh = false
    answer.rows += packets
    this.#continues = size === MAX_LENGTH
    answer.append(bytes, start, end, length)
    return answer.begun(this.#session.questions[0]?.key, frame.endTime)
  }

  #error(answer: Answer, frame: Frame): Said {
    const { bytes, start, end } = frame
    const at = start + HEADER
    if (end - at >= 3 && int16(bytes, at + 1) === PROGRESS) return undefined
    answer.fact('error', readError(bytes, at, end))
    return this.#close(answer, frame)
  }

  #close(answer: Answer, { endTime }: Frame): Message {
    return this.#end(answer, this.#session.questions[0]?.key, endTime)
  }

  #end(answer: Answer, key: number | undefined, time: number): Message {
    const session = this.#session
    session.questions.shift()
    session.answered = true
    session.answer = undefined
    session.sendsFile = false
    if (session.questions.length === 0) session.unsure = false
    this.phase = 'idle'
    return answer.close(key ?? session.nextKey(), time)
  }
}

/** Of the mark at the end of something: rows are fetched later. */
function hasCursor({ bytes, start, end }: Frame): boolean {
  return end >= start + HEADER + EOF_LENGTH && (int16(bytes, start + HEADER + 3) & STATUS.cursorExists) !== 0
}
