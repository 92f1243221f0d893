import type { Message } from '../../contract/message.ts'
import { latin1, utf8Lossy } from '../../text/text.ts'
import type { Details } from './details.ts'
import { asksForValue, HEADER, isQuiet, isSasl, opcodeName, STAT } from './opcodes.ts'

export function binaryDetails(request: Message | undefined, response: Message | undefined): Details {
  const head = request?.head ?? response?.head
  if (head === undefined || head.length < HEADER) return { own: {} }
  const view = new DataView(head.buffer, head.byteOffset, head.length)
  const opcode = head[1]
  const key = keyOf((request ?? response)?.head)
  const stored = request?.body
  const statistics = opcode === STAT && response !== undefined ? statisticsOf(response) : undefined
  const answer = statistics ?? counterOf(opcode, response) ?? (isSasl(opcode) ? undefined : response?.body)
  const status = response?.head === undefined ? undefined : (response.head[6] << 8) | response.head[7]
  const reads = asksForValue(opcode)
  const read = reads && status === 0 ? response : undefined
  const sized = stored === undefined ? read : request
  return {
    ...(stored === undefined ? {} : { stored }),
    ...(answer === undefined ? {} : { answer }),
    own: {
      command: opcodeName(opcode),
      ...(key === undefined ? {} : { key }),
      ...(reads && key !== undefined ? { keys: [key] } : {}),
      ...(reads && response !== undefined ? { hits: status === 0 ? 1 : 0 } : {}),
      ...(sized === undefined ? {} : { value_size: sized.bodySize ?? sized.body?.length ?? 0 }),
      ...(isQuiet(opcode) ? { quiet: true } : {}),
      opaque: String(view.getUint32(12)),
      ...(status === undefined ? {} : { status_code: status }),
      ...casOf(response?.head),
    },
  }
}

/** Increment and decrement answer with the new value. */
function counterOf(opcode: number, response: Message | undefined): string | undefined {
  const { body } = response ?? {}
  if (body?.length !== 8 || !/^(in|de)crement/.test(opcodeName(opcode))) return undefined
  return String(new DataView(body.buffer, body.byteOffset, 8).getBigUint64(0))
}

function keyOf(head: Uint8Array | undefined): string | undefined {
  if (head === undefined || head.length < HEADER) return undefined
  const from = HEADER + head[4]
  const length = (head[2] << 8) | head[3]
  return length === 0 ? undefined : utf8Lossy(head.subarray(from, from + length))
}

function casOf(head: Uint8Array | undefined): { readonly cas?: string } {
  if (head === undefined || head.length < HEADER) return {}
  const cas = new DataView(head.buffer, head.byteOffset, head.length).getBigUint64(16)
  return cas === 0n ? {} : { cas: String(cas) }
}

/** Each statistic is a message of its own: the first is the head, the rest is the body. */
function statisticsOf({ head, body }: Message): string {
  const lines: string[] = []
  for (const bytes of [head, body]) {
    if (bytes === undefined) continue
    for (let at = 0; at + HEADER <= bytes.length; ) {
      const from = at + HEADER + bytes[at + 4]
      const value = from + ((bytes[at + 2] << 8) | bytes[at + 3])
      const end = at + HEADER + ((bytes[at + 9] << 16) | (bytes[at + 10] << 8) | bytes[at + 11])
      if (value > from)
        lines.push(
          `${latin1(bytes, from, Math.min(value, bytes.length))} ${latin1(bytes, Math.min(value, bytes.length), Math.min(end, bytes.length))}`,
        )
      at = end
    }
  }
  return lines.join('\n')
}
