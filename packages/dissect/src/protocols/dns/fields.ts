import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  dns_questions: {
    type: 'list',
    path: 'dns.question_names',
    doc: 'Names that were asked for',
    example: '"example.com" in dns_questions',
  },
  dns_answers: {
    type: 'list',
    path: 'dns.answer_data',
    doc: 'Data of the answers: addresses, names, texts',
    example: '"10.0.0.1" in dns_answers',
  },
  dns_question_types: {
    type: 'list',
    path: 'dns.question_types',
    doc: 'Types that were asked for',
    example: '"AAAA" in dns_question_types',
  },
  dns_rcode: {
    type: 'string',
    path: 'dns.rcode',
    doc: 'Outcome: NOERROR, NXDOMAIN, SERVFAIL …',
    example: 'dns_rcode == "NXDOMAIN"',
  },
  dns_opcode: {
    type: 'string',
    path: 'dns.opcode',
    doc: 'QUERY, NOTIFY, UPDATE …',
    example: 'dns_opcode == "UPDATE"',
  },
  dns_id: { type: 'integer', path: 'dns.id', doc: 'Transaction id', example: 'dns_id == 4711' },
  dns_flags: {
    type: 'list',
    path: 'dns.flags',
    doc: 'aa, tc, rd, ra, ad, cd of the answer, else of the query',
    example: '"tc" in dns_flags',
  },
  dns_request: {
    type: 'boolean',
    path: 'dns.request',
    doc: 'The query was seen',
    example: 'dns_request && !dns_response',
  },
  dns_response: {
    type: 'boolean',
    path: 'dns.response',
    doc: 'An answer was seen',
    example: '!dns_response',
  },
  dns_request_length: {
    type: 'integer',
    path: 'dns.request_length',
    doc: 'Bytes of the query',
    example: 'dns_request_length > 200',
  },
  dns_response_length: {
    type: 'integer',
    path: 'dns.response_length',
    doc: 'Bytes of the answer',
    example: 'dns_response_length > 512',
  },
  dns_total_size: {
    type: 'integer',
    path: 'dns.total_size',
    doc: 'Bytes of both',
    example: 'dns_total_size > 1000',
  },
} as const satisfies Fields
