import type { Summary } from '../../contract/call.ts'
import type { Exchange } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { hasRequest, hasResponse, requestSize, responseSize, totalSize } from '../../shape/exchange-values.ts'
import type { Shape } from '../../shape/shape.ts'
import { readControls } from './envelope.ts'
import { oidName } from './names.ts'
import { isRequest, operationName } from './operation.ts'
import { readRequest } from './request.ts'
import { readParts, readResult } from './response.ts'
import { attempt, opened } from './summarize.ts'

type Shown = Record<string, unknown>

interface View extends Exchange {
  readonly summary: Summary
  readonly asked: Shown
  readonly answered: Shown
  /** The message that says how it went. */
  readonly outcome: Shown
}

function read({ protocol, request, response }: Exchange, summary: Summary): View {
  const asked = shownMessage(request)
  const answered = shownMessage(response)
  const outcome = answered.result === undefined ? asked : answered
  return { protocol, request, response, summary, asked, answered, outcome }
}

function shownMessage(message: Message | undefined): Shown {
  const envelope = opened(message)
  const shown: Shown = {}
  if (envelope === undefined) return shown
  shown.operation = operationName(envelope.tag)
  attempt(() => Object.assign(shown, isRequest(envelope.tag) ? readRequest(envelope) : readResult(envelope)))
  attempt(() => {
    const controls = readControls(envelope).map((control) => ({ ...control, name: oidName(control.oid) }))
    if (controls.length > 0) shown.controls = controls
  })
  return shown
}

/** One line for people. */
function sentence({ asked, summary: { method, path, status } }: View): string | undefined {
  const quoted = path === undefined ? undefined : `"${path}"`
  const words = [method, quoted, asked.auth, asked.scope, asked.filter, status]
  const said = words.filter((word) => word !== undefined)
  return said.length === 0 ? undefined : said.join(' ')
}

export const shape = {
  read,
  request: ({ request, asked, summary: { method, path } }) => ({
    method,
    path,
    ...asked,
    truncated: request?.truncated,
  }),
  response: ({ response, answered, summary: { status } }) => ({
    status,
    ...answered,
    ...(response?.body === undefined ? undefined : readParts(response.body)),
    truncated: response?.truncated,
  }),
  own: {
    type: {
      from: ({ summary }) => summary.method,
      type: 'string',
      doc: 'Operation by its name in RFC 4511: bindRequest, searchRequest, modDNRequest …',
      example: 'ldap_type == "searchRequest"',
    },
    summary: {
      from: sentence,
      type: 'string',
      doc: 'The operation in one line',
      example: 'ldap_summary.contains("uid=alice")',
    },
    message_id: {
      from: ({ request, response }) => request?.key ?? response?.key,
      type: 'integer',
      doc: 'Number that ties an answer to its request',
      example: 'ldap_message_id == 2',
    },
    dn: {
      from: ({ asked, summary }) => (asked.oid === undefined ? summary.path : undefined),
      type: 'string',
      doc: 'The entry that was named, or the base of a search',
      example: 'ldap_dn.endsWith("dc=example,dc=org")',
    },
    oid: {
      from: ({ asked, answered }) => asked.oid ?? answered.oid,
      type: 'string',
      doc: 'Object identifier of an extended operation',
      example: 'ldap_oid == "1.3.6.1.4.1.1466.20037"',
    },
    auth: {
      from: ({ asked }) => asked.auth,
      type: 'string',
      doc: 'How a bind authenticates: anonymous, simple, SASL with its mechanism',
      example: 'ldap_auth == "simple"',
    },
    scope: {
      from: ({ asked }) => asked.scope,
      type: 'string',
      doc: 'baseObject, singleLevel, wholeSubtree',
      example: 'ldap_scope == "wholeSubtree"',
    },
    filter: {
      from: ({ asked }) => asked.filter,
      type: 'string',
      doc: 'Filter of a search, in the notation of RFC 4515',
      example: 'ldap_filter.contains("uid=")',
    },
    attributes: {
      from: ({ asked }) => (Array.isArray(asked.attributes) ? asked.attributes : undefined),
      type: 'list',
      doc: 'Attributes that a search asked for',
      example: '"mail" in ldap_attributes',
    },
    entries: {
      from: ({ response }) => response?.fields?.entries,
      type: 'integer',
      doc: 'Entries that a search found',
      example: 'ldap_entries > 1000',
    },
    references: {
      from: ({ response }) => response?.fields?.references,
      type: 'integer',
      doc: 'Referrals to other servers among the answers of a search',
      example: 'ldap_references > 0',
    },
    result: {
      from: ({ outcome }) => outcome.result,
      type: 'string',
      doc: 'Result by its name: success, noSuchObject, invalidCredentials …',
      example: 'ldap_result == "invalidCredentials"',
    },
    result_code: {
      from: ({ outcome }) => outcome.result_code,
      type: 'integer',
      doc: 'Result code',
      example: 'ldap_result_code == 49',
    },
    message: {
      from: ({ outcome }) => outcome.message,
      type: 'string',
      doc: 'What the server says of the result',
      example: 'ldap_message.contains("no global superior")',
    },
    matched_dn: {
      from: ({ outcome }) => outcome.matched_dn,
      type: 'string',
      doc: 'The nearest entry that exists',
      example: 'ldap_matched_dn != ""',
    },
    request: {
      from: hasRequest,
      type: 'boolean',
      doc: 'The request was seen',
      example: 'ldap_request && !ldap_response',
    },
    response: {
      from: hasResponse,
      type: 'boolean',
      doc: 'An answer was seen',
      example: '!ldap_response',
    },
    request_length: {
      from: requestSize,
      type: 'integer',
      doc: 'Bytes of the request',
      example: 'ldap_request_length > 1000',
    },
    response_length: {
      from: responseSize,
      type: 'integer',
      doc: 'Bytes of the answer, all its entries included',
      example: 'ldap_response_length > 100000',
    },
    total_size: {
      from: totalSize,
      type: 'integer',
      doc: 'Bytes of both',
      example: 'ldap_total_size > 100000',
    },
  },
} as const satisfies Shape<View>
