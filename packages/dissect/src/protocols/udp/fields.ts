import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  udp_payload: {
    type: 'string',
    path: 'request.body',
    doc: 'First bytes that the client sent',
    example: 'udp_payload.contains("M-SEARCH")',
  },
  udp_length: {
    type: 'integer',
    path: 'request.body_size',
    doc: 'Bytes of payload that the client sent',
    example: 'udp_length > 512',
  },
} as const satisfies Fields
