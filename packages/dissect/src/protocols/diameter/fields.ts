import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  diameter_method: {
    type: 'string',
    path: 'diameter.method',
    doc: 'Command by its short name: CER, DWR, ULR, CCR …',
    example: 'diameter_method == "ULR"',
  },
  diameter_summary: {
    type: 'string',
    path: 'diameter.summary',
    doc: 'Command, subject and result in one line',
    example: 'diameter_summary.contains("Update-Location")',
  },
  diameter_command: {
    type: 'string',
    path: 'diameter.command',
    doc: 'Command by its long name',
    example: 'diameter_command == "Credit-Control"',
  },
  diameter_application: {
    type: 'string',
    path: 'diameter.application',
    doc: 'Application by its name, else its number',
    example: 'diameter_application == "3GPP S6a"',
  },
  diameter_session_id: {
    type: 'string',
    path: 'diameter.session_id',
    doc: 'Session-Id',
    example: 'diameter_session_id.startsWith("mme")',
  },
  diameter_user: {
    type: 'string',
    path: 'diameter.user',
    doc: 'User-Name, or the subscription',
    example: 'diameter_user == "001010123456789"',
  },
  diameter_origin_host: {
    type: 'string',
    path: 'diameter.origin_host',
    doc: 'Who asked',
    example: 'diameter_origin_host == "mme.example.org"',
  },
  diameter_origin_realm: {
    type: 'string',
    path: 'diameter.origin_realm',
    doc: 'Realm of who asked',
    example: 'diameter_origin_realm == "example.org"',
  },
  diameter_destination_host: {
    type: 'string',
    path: 'diameter.destination_host',
    doc: 'Who was asked',
    example: 'diameter_destination_host == "hss.example.org"',
  },
  diameter_destination_realm: {
    type: 'string',
    path: 'diameter.destination_realm',
    doc: 'Realm that was asked',
    example: 'diameter_destination_realm == "example.org"',
  },
  diameter_result: {
    type: 'string',
    path: 'diameter.result',
    doc: 'Result by its name, else its number',
    example: 'diameter_result == "DIAMETER_TOO_BUSY"',
  },
  diameter_result_code: {
    type: 'integer',
    path: 'diameter.result_code',
    doc: 'Result-Code or Experimental-Result-Code',
    example: 'diameter_result_code >= 3000',
  },
  diameter_error_message: {
    type: 'string',
    path: 'diameter.error_message',
    doc: 'What the other side says of the error',
    example: 'diameter_error_message.contains("busy")',
  },
  diameter_hop_by_hop: {
    type: 'integer',
    path: 'diameter.hop_by_hop',
    doc: 'Identifier that ties an answer to its request',
    example: 'diameter_hop_by_hop == 4711',
  },
  diameter_end_to_end: {
    type: 'integer',
    path: 'diameter.end_to_end',
    doc: 'Identifier that repeated requests share',
    example: 'diameter_end_to_end == 4711',
  },
  diameter_request: {
    type: 'boolean',
    path: 'diameter.request',
    doc: 'The request was seen',
    example: 'diameter_request && !diameter_response',
  },
  diameter_response: {
    type: 'boolean',
    path: 'diameter.response',
    doc: 'An answer was seen',
    example: '!diameter_response',
  },
  diameter_request_length: {
    type: 'integer',
    path: 'diameter.request_length',
    doc: 'Bytes of the request',
    example: 'diameter_request_length > 1000',
  },
  diameter_response_length: {
    type: 'integer',
    path: 'diameter.response_length',
    doc: 'Bytes of the answer',
    example: 'diameter_response_length > 1000',
  },
  diameter_total_size: {
    type: 'integer',
    path: 'diameter.total_size',
    doc: 'Bytes of both',
    example: 'diameter_total_size > 2000',
  },
} as const satisfies Fields
