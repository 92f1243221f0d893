import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  icmp_type: {
    type: 'string',
    path: 'icmp.type',
    doc: 'Kind of message: Echo Request, Destination Unreachable, Time Exceeded …',
    example: 'icmp_type == "Destination Unreachable"',
  },
  icmp_version: {
    type: 'integer',
    path: 'icmp.version',
    doc: '4 or 6',
    example: 'icmp_version == 6',
  },
  icmp_length: {
    type: 'integer',
    path: 'icmp.length',
    doc: 'Bytes of the message',
    example: 'icmp_length > 1000',
  },
  icmp_code: {
    type: 'integer',
    path: 'icmp.code',
    doc: 'Code within its type',
    example: 'icmp_code == 3',
  },
  icmp_code_name: {
    type: 'string',
    path: 'icmp.code_name',
    doc: 'What the code means',
    example: 'icmp_code_name == "port unreachable"',
  },
  icmp_id: { type: 'integer', path: 'icmp.id', doc: 'Identifier of an echo', example: 'icmp_id == 7' },
  icmp_sequence: {
    type: 'integer',
    path: 'icmp.sequence',
    doc: 'Number of an echo',
    example: 'icmp_sequence == 1',
  },
  icmp_quoted: {
    type: 'map',
    path: 'icmp.quoted',
    doc: 'Packet that an error is about: src, dst, protocol, src_port, dst_port',
    example: 'icmp_quoted["dst"] == "10.0.0.1"',
  },
} as const satisfies Fields
