import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import { presentBody } from '../../content/present-body.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { icmpType, isRequest, requestOf } from './message.ts'
import { HEADER } from './parse.ts'
import { readQuotedPacket } from './quoted-packet.ts'

export function summarize({ request, response }: Exchange): Summary {
  const head = request?.head ?? response?.head
  if (head === undefined) return {}
  const { name, codes, failure } = icmpType(versionOf(request ?? response), head[0])
  return failure ? { method: name, failure: codes?.[head[1]] ?? name.toLowerCase() } : { method: name }
}

export function present({ request, response }: Exchange): Presentation {
  const shown = request ?? response
  const head = shown?.head
  if (shown === undefined || head === undefined) return {}
  const version = versionOf(shown)
  const { name, codes } = icmpType(version, head[0])
  const code = codes?.[head[1]]
  const length = Number(shown.fields?.length ?? 0)
  const answered = Number(response?.fields?.length ?? 0)
  return {
    ...(request === undefined ? {} : { request: half(request) }),
    ...(response === undefined ? {} : { response: half(response) }),
    own: {
      version,
      type: name,
      type_code: head[0],
      code: head[1],
      ...(code === undefined ? {} : { code_name: code }),
      length,
      ...(request === undefined || response === undefined ? {} : { response_length: answered }),
      ...details(version, head),
    },
  }
}

function details(version: number, head: Uint8Array): Record<string, unknown> {
  const [type] = head
  if (isRequest(version, type) || requestOf(version, type) >= 0)
    return { id: uint16(head, 4), sequence: uint16(head, 6) }
  const { quotes, name } = icmpType(version, type)
  const quoted = quotes ? readQuotedPacket(head, HEADER) : undefined
  return {
    ...(quoted === undefined ? {} : { quoted }),
    ...(name === 'Redirect' ? { gateway: version === 6 ? address6(head) : formatIPv4(head, 4) } : {}),
    ...(name === 'Packet Too Big' ? { mtu: uint16(head, 4) * 65536 + uint16(head, 6) } : {}),
    ...(version === 4 && type === 3 && head[1] === 4 ? { mtu: uint16(head, 6) } : {}),
    ...(name.startsWith('Neighbor') ? { target: address6(head) } : {}),
  }
}

function half(message: Message): PresentedMessage {
  const { body, bodySize, truncated } = message
  return {
    ...presentBody(body, undefined, truncated === true),
    ...(body === undefined && bodySize === undefined ? {} : { body_size: bodySize ?? body?.length ?? 0 }),
    ...(truncated ? { truncated } : {}),
  }
}

/** RFC 4861 §4.3 to §4.5: the address that a message is about follows the header. */
function address6(head: Uint8Array): string | undefined {
  return head.length >= HEADER + 16 ? formatIPv6(head, HEADER) : undefined
}

function versionOf(message: Message | undefined): number {
  return message?.fields?.version === 6 ? 6 : 4
}

function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1]
}
