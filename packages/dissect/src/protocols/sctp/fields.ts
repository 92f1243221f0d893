import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  sctp_length: {
    type: 'integer',
    path: 'request.body_size',
    doc: 'Bytes of payload that the client sent',
    example: 'sctp_length > 512',
  },
} as const satisfies Fields
