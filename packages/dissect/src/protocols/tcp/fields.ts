import type { Fields } from '../../dissector.ts'

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
} as const satisfies Fields
