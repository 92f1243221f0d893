import type { Frame } from '../../contract/dissector.ts'
import { type FieldValue, type Handoff, type Message, redraft } from '../../contract/message.ts'
import { utf8Lossy } from '../../text/text.ts'
import type { Answer, CopyDirection } from './answer.ts'
import { int32, textEnd } from './bytes.ts'
import { countCopied } from './frontend.ts'
import { BACKEND, HEADER } from './message-type.ts'
import type { Parts } from './parts.ts'
import { isAsked, isPlainAnswer, readPlainAnswer } from './plain-answer.ts'
import { isFatal, readReport } from './server-report.ts'
import type { Session } from './session.ts'
import type { Step } from './step.ts'
import { tagAt, transactionState } from './tag.ts'

/** What each code of an authentication message asks for. */
const AUTHENTICATION: Readonly<Record<number, string | undefined>> = {
  2: 'kerberos',
  3: 'password',
  5: 'md5',
  6: 'scm',
  7: 'gss',
  9: 'sspi',
  10: 'sasl',
}
/** What a step is called when it fails alone. */
const COMMANDS: Readonly<Partial<Record<Step['kind'], string>>> = {
  parse: 'Parse',
  bind: 'Bind',
  describe: 'Describe',
  close: 'Close',
  sync: 'Sync',
}

type Said = Message | readonly Message[] | Handoff | undefined

/** What the server says. */
export class Backend {
  readonly #session: Session
  /** The batch has failed: the server skips the rest of it. */
  #failed = false

  constructor(session: Session) {
    this.#session = session
  }

  /** Bytes more of rows or copied data that are worth keeping. */
  get room(): number {
    return this.#session.answer?.room ?? this.#session.connection.limits.body
  }

  decode(frame: Frame): Said {
    const { bytes, start, end, length, time } = frame
    const session = this.#session
    session.steps.heard = frame.endTime
    if (session.encryption !== undefined && length === 1) return this.#encryption(frame)
    const type = bytes[start]
    if (type === BACKEND.notification) return this.#notification(frame)
    if (!session.steps.waiting && session.answer === undefined) {
      if (type === BACKEND.notice || type === BACKEND.parameterStatus) return this.#unasked(frame)
      if (type === BACKEND.error && isFatal(readReport(bytes, start + HEADER, end)))
        return this.#unasked(frame)
    }
    if (type === BACKEND.readyForQuery) return this.#ready(frame)
    const answer = session.answering(time)
    answer.size += length
    switch (type) {
      case BACKEND.dataRow:
        this.#rows(answer, frame)
        return this.#begun(answer, frame)
      case BACKEND.rowDescription:
        session.steps.take('describe')
        this.#rows(answer, frame)
        return undefined
      case BACKEND.commandComplete:
        answer.tag(tagAt(bytes, start + HEADER, textEnd(bytes, start + HEADER, end)))
        return this.#executed(frame)
      case BACKEND.emptyQuery:
        return this.#executed(frame)
      case BACKEND.portalSuspended:
        answer.suspended = true
        return this.#executed(frame)
      case BACKEND.error:
        return this.#error(answer, frame)
      case BACKEND.parseComplete:
        session.steps.take('parse')
        return undefined
      case BACKEND.bindComplete:
        session.steps.take('bind')
        return undefined
      case BACKEND.closeComplete:
        session.steps.take('close')
        return undefined
      case BACKEND.noData:
        session.steps.take('describe')
        return undefined
      case BACKEND.notice:
        answer.notice(readReport(bytes, start + HEADER, end))
        return undefined
      case BACKEND.parameterStatus: {
        const [name, value] = readPair(bytes, start + HEADER, end)
        answer.setting(name, value)
        return undefined
      }
      case BACKEND.copyIn:
        this.#copyIn()
        return this.#copies(answer, 'in', frame)
      case BACKEND.copyOut:
        return this.#copies(answer, 'out', frame)
      case BACKEND.copyBoth:
        return this.#copies(answer, 'both', frame)
      case BACKEND.copyData:
        countCopied(answer, bytes, start, end, length)
        answer.append(bytes, start, end, length)
        return this.#begun(answer, frame)
      case BACKEND.authentication:
        authentication(answer, bytes, start + HEADER, end)
        return undefined
      case BACKEND.backendKeyData:
        if (end - start >= HEADER + 4) answer.fact('pid', int32(bytes, start + HEADER))
        return undefined
      default:
        return undefined
    }
  }

  /** Whether the frame can be read without state, and has nothing unusual. */
  isPlain({ endTime }: Frame, parts: Parts): boolean {
    const { answer, steps, connection } = this.#session
    if (answer !== undefined || this.#failed || !isPlainAnswer(parts)) return false
    // Rows that come late are emitted as begun.
    const { first } = steps
    return first === undefined || endTime - first.time < connection.limits.patience / 2
  }

  /** All messages of a frame that is plain. */
  decodePlain(frame: Frame, parts: Parts): Said {
    this.#session.steps.heard = frame.endTime
    return readPlainAnswer(this.#session, frame, parts)
  }

  /** Of an answer that began, the rest is not to be had. */
  lost(): void {
    if (this.#session.answer !== undefined) this.#session.answer.truncated = true
  }

  /** The connection ended in the middle of an answer. */
  finish(): Message | undefined {
    const session = this.#session
    const { answer, steps } = session
    if (answer === undefined) return undefined
    const step = steps.first
    const isStartup = step?.kind === 'startup'
    if ((step !== undefined && step.key < 0) || !(answer.telling || isStartup)) {
      session.answer = undefined
      answer.drop()
      return undefined
    }
    // A client without the requested password disconnects, and connects again with one.
    if (isStartup) answer.fact('abandoned', true)
    else answer.truncated = true
    steps.clear()
    // A request from before the capture has only its answer.
    return this.#close(answer, step?.key ?? session.nextKey(), undefined)
  }

  /** `S` and `G`: what follows is encrypted; `N`: it is not. */
  #encryption({ bytes, start, time, endTime }: Frame): Message | Handoff {
    const session = this.#session
    const accepted = bytes[start] !== BACKEND.notice
    const step = session.steps.take('encryption')
    const message = redraft({
      kind: 'response',
      key: step?.key ?? session.nextKey(),
      start: time,
      end: endTime,
      size: 1,
      fields: { accepted },
    })
    const to = session.encryption === 'SSLRequest' ? 'tls' : 'gssapi'
    session.encryption = undefined
    return accepted ? { kind: 'handoff', to, message } : message
  }

  #notification({ bytes, start, end, length, time, endTime }: Frame): Message {
    const [channel, payload] = readPair(bytes, start + HEADER + 4, end)
    return redraft({
      kind: 'event',
      start: time,
      end: endTime,
      size: length,
      fields: {
        ...this.#session.fields('NotificationResponse'),
        channel,
        ...(payload === '' ? {} : { payload }),
        ...(end - start >= HEADER + 4 ? { pid: int32(bytes, start + HEADER) } : {}),
      },
      ...(end - start < length ? { truncated: true } : {}),
    })
  }

  /** What the server says of its own accord. */
  #unasked({ bytes, start, end, length, time, endTime }: Frame): Message {
    const type = bytes[start]
    let said: Record<string, FieldValue>
    let command = 'ParameterStatus'
    if (type === BACKEND.parameterStatus) {
      const [name, value] = readPair(bytes, start + HEADER, end)
      said = { settings: { [name]: value } }
    } else {
      const report = readReport(bytes, start + HEADER, end)
      command = type === BACKEND.error ? 'ErrorResponse' : 'NoticeResponse'
      said = type === BACKEND.error ? { error: report } : { notices: [report] }
    }
    return redraft({
      kind: 'event',
      start: time,
      end: endTime,
      size: length,
      fields: { ...this.#session.fields(command), ...said },
    })
  }

  /** A frame may hold a run of rows, with their description before them. */
  #rows(answer: Answer, { bytes, start, end, length }: Frame): void {
    answer.hasRows = true
    if (end - start < length) answer.rows++
    else for (let at = start; at < end; at += 1 + int32(bytes, at + 1)) answer.rows++
    if (bytes[start] === BACKEND.rowDescription) answer.rows--
    answer.append(bytes, start, end, length)
  }

  #begun(answer: Answer, { endTime }: Frame): Message | undefined {
    const step = this.#session.steps.first
    return step === undefined ? undefined : answer.begun(step.key, step.time, endTime)
  }

  /** A portal has run. In a simple query this is the end of one statement of perhaps several. */
  #executed({ endTime }: Frame): Message | undefined {
    const { steps, answer } = this.#session
    const step = steps.take('execute')
    return step === undefined || answer === undefined ? undefined : this.#close(answer, step.key, endTime)
  }

  /** The batch is over, whether or not all of it was answered. */
  #ready({ bytes, start, length, time, endTime }: Frame): Said {
    const session = this.#session
    const unexecuted: number[] | undefined = this.#failed ? [] : undefined
    this.#failed = false
    const closer = session.steps.takeBatch(unexecuted)
    const asked = isAsked(closer)
    const answer = asked ? session.answering(time) : session.answer
    if (answer !== undefined) {
      answer.size += length
      answer.transaction = transactionState(bytes[start + HEADER])
      if (asked) return this.#close(answer, closer.key, endTime)
      if (closer === undefined && answer.telling) return this.#close(answer, session.nextKey(), endTime)
      session.answer = undefined
      answer.drop()
    }
    return unexecuted?.map((key) => skipped(key, endTime))
  }

  /** Where nothing else of the batch is a call, the step that failed becomes one. */
  #error(answer: Answer, { bytes, start, end, endTime }: Frame): Said {
    const { steps } = this.#session
    const report = readReport(bytes, start + HEADER, end)
    answer.error = report
    const first = steps.first
    if (first === undefined || first.kind === 'lost') return undefined
    if (first.kind === 'query' || first.kind === 'startup' || first.kind === 'function') {
      if (!isFatal(report)) return undefined
      steps.clear()
      return this.#close(answer, first.key, endTime)
    }
    if (first.kind === 'encryption') {
      this.#session.encryption = undefined
      steps.clear()
      return this.#close(answer, first.key, endTime)
    }
    this.#failed = true
    const execute = steps.take('execute')
    if (execute !== undefined) return this.#close(answer, execute.key, endTime)
    if (first.kind === 'sync') return this.#alone(answer, first, endTime)
    steps.take(first.kind)
    return this.#alone(answer, first, endTime)
  }

  #alone(answer: Answer, step: Step, endTime: number): readonly Message[] {
    const { kind, statement, time, size } = step
    const key = this.#session.nextKey()
    const request = redraft({
      kind: 'request',
      from: 0,
      key,
      ...(statement?.text === undefined ? {} : { head: statement.text }),
      fields: {
        ...this.#session.fields(COMMANDS[kind] ?? kind),
        ...(statement === undefined || statement.name === '' ? {} : { name: statement.name }),
        ...(statement !== undefined && statement.text === undefined ? { unknown: true } : {}),
      },
      start: time,
      end: time,
      size,
      ...(statement?.cut ? { truncated: true } : {}),
    })
    if (kind === 'parse' && statement !== undefined) this.#session.statements.delete(statement.name)
    return [request, this.#close(answer, key, endTime)]
  }

  /** What the client sends while it copies goes unread, a Sync included; it will send another. */
  #copyIn(): void {
    const { steps } = this.#session
    const sync = steps.peek('execute') === undefined ? undefined : steps.peek('sync')
    if (sync !== undefined) steps.remove(sync)
  }

  /** A copy may last for days (replication is one): its beginning is emitted at once. */
  #copies(answer: Answer, direction: CopyDirection, { endTime }: Frame): Message | undefined {
    answer.copy = direction
    const step = this.#session.steps.first
    if (direction !== 'both' || step === undefined || step.key < 0) return undefined
    return redraft({
      kind: 'response',
      key: step.key,
      start: answer.start,
      end: endTime,
      size: 0,
      fields: { copy: { direction, messages: 0, bytes: 0 } },
      more: true,
    })
  }

  #close(answer: Answer, key: number, endTime: number | undefined): Message {
    this.#session.answer = undefined
    return answer.close(key, endTime ?? this.#session.steps.heard)
  }
}

/** The server does not look at what follows a failure in the same batch. */
function skipped(key: number, time: number): Message {
  return redraft({ kind: 'response', key, start: time, end: time, size: 0, fields: { skipped: true } })
}

function authentication(answer: Answer, bytes: Uint8Array, start: number, end: number): void {
  if (end - start < 4) return
  const code = int32(bytes, start)
  const method = AUTHENTICATION[code]
  if (method !== undefined) answer.fact('authentication', method)
}

function readPair(bytes: Uint8Array, start: number, end: number): [string, string] {
  const middle = textEnd(bytes, start, end)
  const stop = textEnd(bytes, middle + 1, end)
  return [
    utf8Lossy(bytes.subarray(start, middle)),
    middle + 1 > end ? '' : utf8Lossy(bytes.subarray(middle + 1, stop)),
  ]
}
