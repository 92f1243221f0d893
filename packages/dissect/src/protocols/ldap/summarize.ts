import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { type Envelope, openEnvelope } from './envelope.ts'
import { isFailure, resultName } from './names.ts'
import { isRequest, operationName, requestNameOf } from './operation.ts'
import { subjectOf } from './request.ts'
import { resultCode } from './response.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = {}
  const asked = opened(request)
  const answered = opened(response)
  attempt(() => {
    if (asked === undefined) return
    summary.method = operationName(asked.tag) ?? `[APPLICATION ${asked.tag & 0x1f}]`
    if (operationName(asked.tag) === undefined) return
    if (!isRequest(asked.tag)) conclude(asked, summary)
    else {
      const path = subjectOf(asked)
      if (path !== '') summary.path = path
    }
  })
  attempt(() => {
    if (answered === undefined) return
    const method = requestNameOf(answered.tag)
    if (summary.method === undefined && method !== undefined) summary.method = method
    conclude(answered, summary)
  })
  return summary
}

function conclude(envelope: Envelope, into: Draft): void {
  const code = resultCode(envelope)
  if (code < 0) return
  into.status = resultName(code)
  if (isFailure(code)) into.failure = into.status
}

export function opened(message: Message | undefined): Envelope | undefined {
  const head = message?.head
  if (head === undefined) return undefined
  return attempt(() => openEnvelope(head, 0, head.length))
}

/** Half messages are shown as far as they can be read. */
export function attempt<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
