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
import { AvpReader } from './avp.ts'
import { applicationName, commandTitle } from './command.ts'
import { FLAG, uint24, uint32 } from './frame.ts'
import { type Result, resultOf } from './result.ts'
import { userOf } from './summarize.ts'
import { readAvps, type Values } from './value.ts'

const FLAGS = Object.entries(FLAG)

interface View extends Exchange {
  readonly summary: Summary
  /** Of the request, if that is there. */
  readonly head: Uint8Array
  readonly asked: Values
  readonly answered: Values
  readonly result: Result | undefined
}

function read({ protocol, request, response }: Exchange, summary: Summary): View | undefined {
  const head = request?.head ?? response?.head
  if (head === undefined) return undefined
  const result = response?.head === undefined ? undefined : resultOf(response.head)
  return {
    protocol,
    request,
    response,
    summary,
    head,
    asked: avpsOf(request),
    answered: avpsOf(response),
    result,
  }
}

function avpsOf(message: Message | undefined): Values {
  return message?.head === undefined ? {} : readAvps(new AvpReader(message.head))
}

function flagsOf(message: Message | undefined): string[] {
  const flags = message?.head?.[4] ?? 0
  return FLAGS.filter(([, bit]) => flags & bit).map(([name]) => name)
}

const title = ({ head }: View) => commandTitle(uint24(head, 5))

function sentence(view: View): string {
  const { method, path, status } = view.summary
  return [title(view) ?? method, path, status].filter((word) => word !== undefined).join(' ')
}

export const shape = {
  read,
  request: {
    method: ({ summary }) => summary.method,
    path: ({ summary }) => summary.path,
    flags: ({ request }) => flagsOf(request),
    avps: ({ asked }) => asked,
    truncated: requestTruncated,
  },
  response: {
    status: ({ summary }) => summary.status,
    flags: ({ response }) => flagsOf(response),
    avps: ({ answered }) => answered,
    truncated: responseTruncated,
  },
  own: {
    method: {
      from: ({ summary }) => summary.method,
      type: 'string',
      doc: 'Command by its short name: CER, DWR, ULR, CCR …',
      example: 'diameter_method == "ULR"',
    },
    summary: {
      from: sentence,
      type: 'string',
      doc: 'Command, subject and result in one line',
      example: 'diameter_summary.contains("Update-Location")',
    },
    command: {
      from: title,
      type: 'string',
      doc: 'Command by its long name',
      example: 'diameter_command == "Credit-Control"',
    },
    command_code: ({ head }) => uint24(head, 5),
    application: {
      from: ({ head }) => applicationName(uint32(head, 8)),
      type: 'string',
      doc: 'Application by its name, else its number',
      example: 'diameter_application == "3GPP S6a"',
    },
    application_id: ({ head }) => uint32(head, 8),
    hop_by_hop: {
      from: ({ head }) => uint32(head, 12),
      type: 'integer',
      doc: 'Identifier that ties an answer to its request',
      example: 'diameter_hop_by_hop == 4711',
    },
    end_to_end: {
      from: ({ head }) => uint32(head, 16),
      type: 'integer',
      doc: 'Identifier that repeated requests share',
      example: 'diameter_end_to_end == 4711',
    },
    session_id: {
      from: ({ asked, answered }) => asked['Session-Id'] ?? answered['Session-Id'],
      type: 'string',
      doc: 'Session-Id',
      example: 'diameter_session_id.startsWith("mme")',
    },
    user: {
      from: ({ head }) => userOf(head),
      type: 'string',
      doc: 'User-Name, or the subscription',
      example: 'diameter_user == "001010123456789"',
    },
    origin_host: {
      from: ({ asked }) => asked['Origin-Host'],
      type: 'string',
      doc: 'Who asked',
      example: 'diameter_origin_host == "mme.example.org"',
    },
    origin_realm: {
      from: ({ asked }) => asked['Origin-Realm'],
      type: 'string',
      doc: 'Realm of who asked',
      example: 'diameter_origin_realm == "example.org"',
    },
    destination_host: {
      from: ({ asked }) => asked['Destination-Host'],
      type: 'string',
      doc: 'Who was asked',
      example: 'diameter_destination_host == "hss.example.org"',
    },
    destination_realm: {
      from: ({ asked }) => asked['Destination-Realm'],
      type: 'string',
      doc: 'Realm that was asked',
      example: 'diameter_destination_realm == "example.org"',
    },
    answered_by: ({ answered }) => answered['Origin-Host'],
    result: {
      from: ({ result }) => (result === undefined ? undefined : String(result.name)),
      type: 'string',
      doc: 'Result by its name, else its number',
      example: 'diameter_result == "DIAMETER_TOO_BUSY"',
    },
    result_code: {
      from: ({ result }) => result?.code,
      type: 'integer',
      doc: 'Result-Code or Experimental-Result-Code',
      example: 'diameter_result_code >= 3000',
    },
    result_vendor: ({ result }) => result?.vendor,
    error_message: {
      from: ({ answered }) => answered['Error-Message'],
      type: 'string',
      doc: 'What the other side says of the error',
      example: 'diameter_error_message.contains("busy")',
    },
    request: {
      from: hasRequest,
      type: 'boolean',
      doc: 'The request was seen',
      example: 'diameter_request && !diameter_response',
    },
    response: {
      from: hasResponse,
      type: 'boolean',
      doc: 'An answer was seen',
      example: '!diameter_response',
    },
    request_length: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the request',
      example: 'diameter_request_length > 1000',
    },
    response_length: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the answer',
      example: 'diameter_response_length > 1000',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'diameter_total_size > 2000',
    },
  },
} as const satisfies Shape<View>
