import type { PresentedMessage, Summary } from '../contract/call.ts'
import type { Exchange, Presentation } from '../contract/dissector.ts'
import type { Message } from '../contract/message.ts'
import { base64, utf8 } from '../text/text.ts'

/** A flow in which no protocol was recognised has no method, path or status; only an end that was a failure. */
export function summarize({ request }: Exchange): Summary {
  const error = request?.fields?.error
  return typeof error === 'string' ? { failure: error } : {}
}

/** The first bytes of each side, and how it ended. */
export function present({ request, response }: Exchange): Presentation {
  return {
    ...(request === undefined ? {} : { request: presentSample(request) }),
    ...(response === undefined ? {} : { response: presentSample(response) }),
    ...(request?.fields === undefined ? {} : { own: request.fields }),
  }
}

function presentSample({ body, bodySize, truncated }: Message): PresentedMessage {
  const text = body === undefined ? undefined : utf8(body)
  return {
    ...(body === undefined
      ? {}
      : text === undefined
        ? { body: base64(body), body_encoding: 'base64' }
        : { body: text }),
    body_size: bodySize ?? body?.length ?? 0,
    ...(truncated ? { truncated } : {}),
  }
}
