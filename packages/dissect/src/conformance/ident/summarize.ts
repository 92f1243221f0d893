import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { latin1 } from '../../text/text.ts'

export function summarize({ request, response }: Exchange): Summary {
  const [, status, detail] = partsOf(response)
  return {
    ...(request === undefined ? {} : { method: 'IDENT', path: partsOf(request)[0] }),
    ...(status === undefined ? {} : { status }),
    ...(status === 'ERROR' && detail !== undefined ? { failure: detail } : {}),
  }
}

/** The values between the colons of a line. */
export function partsOf(message: Message | undefined): string[] {
  return message?.head === undefined ? [] : latin1(message.head).trim().split(/ *: */)
}
