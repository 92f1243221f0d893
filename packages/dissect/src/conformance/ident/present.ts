import type { Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { latin1 } from '../../text/text.ts'

export function summarize({ request, response }: Exchange): Summary {
  const [, status, detail] = fieldsOf(response)
  return {
    ...(request === undefined ? {} : { method: 'IDENT', path: fieldsOf(request)[0] }),
    ...(status === undefined ? {} : { status }),
    ...(status === 'ERROR' && detail !== undefined ? { failure: detail } : {}),
  }
}

export function present({ request, response }: Exchange): Presentation {
  const [ports] = fieldsOf(request ?? response)
  const [, status, system, user] = fieldsOf(response)
  return {
    ...(request === undefined ? {} : { request: { ports } }),
    ...(response === undefined ? {} : { response: status === 'USERID' ? { system } : { error: system } }),
    own: { ports, ...(user === undefined ? {} : { user }) },
  }
}

function fieldsOf(message: Message | undefined): string[] {
  return message?.head === undefined ? [] : latin1(message.head).trim().split(/ *: */)
}
