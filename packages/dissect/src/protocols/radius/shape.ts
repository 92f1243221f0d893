import { Malformed } from '@tapdeck/wire'
import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import {
  hasRequest,
  hasResponse,
  requestSize,
  requestTruncated,
  responseSize,
  responseTruncated,
  totalSize,
} from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { attributeName, attributeValue, hex } from './attribute.ts'
import { codeName, HEADER, walk } from './packet.ts'
import { readVendor, VENDOR_SPECIFIC } from './vendor.ts'

type Value = string | number
type Attributes = Record<string, Value | Value[]>

interface View extends Exchange {
  readonly summary: Summary
  readonly asked: Attributes
  readonly answered: Attributes
  /** The head of the request, if that is there. */
  readonly shown: Uint8Array | undefined
}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const shown = request?.head ?? response?.head
  return {
    protocol,
    request,
    response,
    summary,
    asked: attributesOf(request),
    answered: attributesOf(response),
    shown,
  }
}

/** By name; a list if an attribute occurs several times. */
function attributesOf(message: Message | undefined): Attributes {
  const attributes = new Map<string, Value[]>()
  const head = message?.head
  if (head === undefined) return {}
  const add = (name: string, value: Value) => {
    const before = attributes.get(name)
    if (before === undefined) attributes.set(name, [value])
    else before.push(value)
  }
  try {
    walk(head, HEADER, head.length, (type, from, to) => {
      const value = head.subarray(from, to)
      if (type !== VENDOR_SPECIFIC) add(attributeName(type), attributeValue(type, value))
      else for (const [name, text] of readVendor(value)) add(name, text)
    })
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return Object.fromEntries([...attributes].map(([name, all]) => [name, all.length === 1 ? all[0] : all]))
}

const either = (name: string) => (view: View) => view.asked[name] ?? view.answered[name]
const codeNameOf = (head: Uint8Array | undefined) => head && codeName(head[0])
const authenticatorOf = (message: Message | undefined) =>
  message?.head && hex(message.head.subarray(4, HEADER))
const unlessEmpty = (attributes: Attributes) => (Object.keys(attributes).length > 0 ? attributes : undefined)

export const shape = {
  read,
  request: {
    method: ({ summary }) => summary.method,
    path: ({ summary }) => summary.path,
    code: ({ request }) => request?.head?.[0],
    code_name: ({ request }) => codeNameOf(request?.head),
    authenticator: ({ request }) => authenticatorOf(request),
    attributes: ({ asked }) => asked,
    truncated: requestTruncated,
  },
  response: {
    status: ({ summary }) => summary.status,
    code: ({ response }) => response?.head?.[0],
    code_name: ({ response }) => codeNameOf(response?.head),
    authenticator: ({ response }) => authenticatorOf(response),
    attributes: ({ answered }) => answered,
    truncated: responseTruncated,
  },
  own: {
    code: {
      from: ({ shown }) => shown?.[0],
      type: 'integer',
      doc: 'Code of the request, else of the answer',
      example: 'radius_code == 1',
    },
    code_name: {
      from: ({ shown }) => codeNameOf(shown),
      type: 'string',
      doc: 'That code by its name: Access-Request, Accounting-Request …',
      example: 'radius_code_name == "Access-Request"',
    },
    response_code: {
      from: ({ response }) => response?.head?.[0],
      type: 'integer',
      doc: 'Code of the answer',
      example: 'radius_response_code == 3',
    },
    id: {
      from: ({ shown }) => shown?.[1],
      type: 'integer',
      doc: 'Identifier that ties an answer to its request',
      example: 'radius_id == 17',
    },
    user: {
      from: ({ summary }) => summary.path,
      type: 'string',
      doc: 'User-Name',
      example: 'radius_user == "alice"',
    },
    nas_ip: {
      from: (view) => either('NAS-IP-Address')(view) ?? either('NAS-IPv6-Address')(view),
      type: 'string',
      doc: 'Address of the access server',
      example: 'radius_nas_ip == "10.0.0.1"',
    },
    nas_identifier: {
      from: either('NAS-Identifier'),
      type: 'string',
      doc: 'Name of the access server',
      example: 'radius_nas_identifier == "edge"',
    },
    calling_station: {
      from: either('Calling-Station-Id'),
      type: 'string',
      doc: 'Where the user calls from, often a MAC address',
      example: 'radius_calling_station.startsWith("00-11")',
    },
    called_station: {
      from: either('Called-Station-Id'),
      type: 'string',
      doc: 'What the user called, often an access point and its network',
      example: 'radius_called_station.endsWith(":guest")',
    },
    session_id: {
      from: either('Acct-Session-Id'),
      type: 'string',
      doc: 'Acct-Session-Id',
      example: 'radius_session_id == "s-1"',
    },
    acct_status: {
      from: either('Acct-Status-Type'),
      type: 'string',
      doc: 'Start, Interim-Update, Stop …',
      example: 'radius_acct_status == "Stop"',
    },
    framed_ip: {
      from: ({ asked, answered }) => answered['Framed-IP-Address'] ?? asked['Framed-IP-Address'],
      type: 'string',
      doc: 'Address given to the user',
      example: 'radius_framed_ip == "10.9.8.7"',
    },
    reply_message: {
      from: ({ answered }) => answered['Reply-Message'],
      type: 'string',
      doc: 'What the server says to the user',
      example: 'radius_reply_message.contains("away")',
    },
    error_cause: {
      from: ({ answered }) => answered['Error-Cause'],
      type: 'string',
      doc: 'Why a CoA or a Disconnect was refused',
      example: 'radius_error_cause == "Session-Context-Not-Found"',
    },
    request_authenticator: {
      from: ({ request }) => authenticatorOf(request),
      type: 'string',
      doc: 'Authenticator of the request, hexadecimal',
      example: 'radius_request_authenticator.startsWith("00")',
    },
    request_attributes: {
      from: ({ asked }) => unlessEmpty(asked),
      type: 'map',
      doc: 'Attributes of the request by name',
      example: 'radius_request_attributes["Service-Type"] == "Framed-User"',
    },
    response_attributes: {
      from: ({ answered }) => unlessEmpty(answered),
      type: 'map',
      doc: 'Attributes of the answer by name',
      example: 'radius_response_attributes["Session-Timeout"] > 60',
    },
    retransmissions: {
      from: ({ response }) => response?.fields?.retransmissions,
      type: 'integer',
      doc: 'How often the request was sent anew before it was answered',
      example: 'radius_retransmissions > 0',
    },
    request: {
      from: hasRequest,
      type: 'boolean',
      doc: 'The request was seen',
      example: 'radius_request && !radius_response',
    },
    response: {
      from: hasResponse,
      type: 'boolean',
      doc: 'An answer was seen',
      example: '!radius_response',
    },
    request_length: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the request',
      example: 'radius_request_length > 200',
    },
    response_length: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the answer',
      example: 'radius_response_length > 200',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'radius_total_size > 400',
    },
  },
} as const satisfies Shape<View>
