import type { Message } from '../../contract/message.ts'
import { latin1 } from '../../text/text.ts'
import { headerRange, rangeEnd } from '../http/header-range.ts'
import { readWebBody, webKind } from './web.ts'

/** How a call ended. */
export interface Outcome {
  /** Absent where no status was seen. */
  readonly status?: number
  readonly message?: string
}

/** The status is in the trailers; in the head if there is nothing else; in the body with gRPC-Web. */
export function readOutcome(response: Message | undefined): Outcome {
  if (response === undefined) return {}
  const { head, body, fields } = response
  const trailers = fields?.trailers
  let status = typeof trailers === 'string' ? lineValue(trailers, 'grpc-status') : undefined
  if (status !== undefined && typeof trailers === 'string')
    return outcome(status, lineValue(trailers, 'grpc-message'))
  if (head === undefined) return {}
  status = headValue(head, 'grpc-status')
  if (status !== undefined) return outcome(status, headValue(head, 'grpc-message'))
  const web = webKind(head)
  if (web === undefined || body === undefined) return {}
  const { trailers: last } = readWebBody(body, web)
  status = last === undefined ? undefined : lineValue(last, 'grpc-status')
  return status === undefined || last === undefined ? {} : outcome(status, lineValue(last, 'grpc-message'))
}

function outcome(status: string, message: string | undefined): Outcome {
  const code = Number(status)
  return {
    ...(status !== '' && Number.isInteger(code) ? { status: code } : {}),
    ...(message === undefined || message === '' ? {} : { message: decodeMessage(message) }),
  }
}

/** Messages are percent-encoded UTF-8; what is not properly encoded is shown as it is. */
function decodeMessage(text: string): string {
  if (!text.includes('%')) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

function headValue(head: Uint8Array, name: string): string | undefined {
  const start = headerRange(head, name)
  return start < 0 ? undefined : latin1(head, start, rangeEnd).trimEnd()
}

/** The value of a field in lines of `name: value`; names may be in any case in gRPC-Web. */
function lineValue(lines: string, name: string): string | undefined {
  for (let at = 0; at < lines.length; ) {
    let end = lines.indexOf('\n', at)
    if (end < 0) end = lines.length
    if (lines[at + name.length] === ':' && lines.slice(at, at + name.length).toLowerCase() === name)
      return lines.slice(at + name.length + 1, end).trim()
    at = end + 1
  }
  return undefined
}
