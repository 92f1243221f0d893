import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  tcp_payload: {
    type: 'string',
    path: 'request.body',
    doc: 'First bytes that the client sent',
    example: 'tcp_payload.startsWith("SSH-")',
  },
  tcp_error_type: {
    type: 'string',
    path: 'error',
    doc: 'Why the connection failed: refused, reset, or what could not be read',
    example: 'tcp_error_type == "refused"',
  },
  tcp_error_message: {
    type: 'string',
    path: 'error',
    doc: 'The same, under the other name that users know',
    example: 'tcp_error_message contains "malformed"',
  },
} as const satisfies Fields
