import type { Fields } from '../../contract/dissector.ts'

export const fields = {
  ldap_type: {
    type: 'string',
    path: 'ldap.type',
    doc: 'Operation by its name in RFC 4511: bindRequest, searchRequest, modDNRequest …',
    example: 'ldap_type == "searchRequest"',
  },
  ldap_summary: {
    type: 'string',
    path: 'ldap.summary',
    doc: 'The operation in one line',
    example: 'ldap_summary.contains("uid=alice")',
  },
  ldap_dn: {
    type: 'string',
    path: 'ldap.dn',
    doc: 'The entry that was named, or the base of a search',
    example: 'ldap_dn.endsWith("dc=example,dc=org")',
  },
  ldap_filter: {
    type: 'string',
    path: 'ldap.filter',
    doc: 'Filter of a search, in the notation of RFC 4515',
    example: 'ldap_filter.contains("uid=")',
  },
  ldap_scope: {
    type: 'string',
    path: 'ldap.scope',
    doc: 'baseObject, singleLevel, wholeSubtree',
    example: 'ldap_scope == "wholeSubtree"',
  },
  ldap_attributes: {
    type: 'list',
    path: 'ldap.attributes',
    doc: 'Attributes that a search asked for',
    example: '"mail" in ldap_attributes',
  },
  ldap_auth: {
    type: 'string',
    path: 'ldap.auth',
    doc: 'How a bind authenticates: anonymous, simple, SASL with its mechanism',
    example: 'ldap_auth == "simple"',
  },
  ldap_oid: {
    type: 'string',
    path: 'ldap.oid',
    doc: 'Object identifier of an extended operation',
    example: 'ldap_oid == "1.3.6.1.4.1.1466.20037"',
  },
  ldap_entries: {
    type: 'integer',
    path: 'ldap.entries',
    doc: 'Entries that a search found',
    example: 'ldap_entries > 1000',
  },
  ldap_references: {
    type: 'integer',
    path: 'ldap.references',
    doc: 'Referrals to other servers among the answers of a search',
    example: 'ldap_references > 0',
  },
  ldap_result: {
    type: 'string',
    path: 'ldap.result',
    doc: 'Result by its name: success, noSuchObject, invalidCredentials …',
    example: 'ldap_result == "invalidCredentials"',
  },
  ldap_result_code: {
    type: 'integer',
    path: 'ldap.result_code',
    doc: 'Result code',
    example: 'ldap_result_code == 49',
  },
  ldap_message: {
    type: 'string',
    path: 'ldap.message',
    doc: 'What the server says of the result',
    example: 'ldap_message.contains("no global superior")',
  },
  ldap_matched_dn: {
    type: 'string',
    path: 'ldap.matched_dn',
    doc: 'The nearest entry that exists',
    example: 'ldap_matched_dn != ""',
  },
  ldap_message_id: {
    type: 'integer',
    path: 'ldap.message_id',
    doc: 'Number that ties an answer to its request',
    example: 'ldap_message_id == 2',
  },
  ldap_request: {
    type: 'boolean',
    path: 'ldap.request',
    doc: 'The request was seen',
    example: 'ldap_request && !ldap_response',
  },
  ldap_response: {
    type: 'boolean',
    path: 'ldap.response',
    doc: 'An answer was seen',
    example: '!ldap_response',
  },
  ldap_request_length: {
    type: 'integer',
    path: 'ldap.request_length',
    doc: 'Bytes of the request',
    example: 'ldap_request_length > 1000',
  },
  ldap_response_length: {
    type: 'integer',
    path: 'ldap.response_length',
    doc: 'Bytes of the answer, all its entries included',
    example: 'ldap_response_length > 100000',
  },
  ldap_total_size: {
    type: 'integer',
    path: 'ldap.total_size',
    doc: 'Bytes of both',
    example: 'ldap_total_size > 100000',
  },
} as const satisfies Fields
