import type { Mapping } from '../mapping.ts'
import type { OurMessage, TheirMessage } from '../message.ts'
import { findAll, firstText, type Shown } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { filled, own } from '../values.ts'

/** RFC 4511 appendix B: the application tags of the operations. */
const OPERATIONS: Readonly<Record<string, string>> = {
  '0': 'bindRequest',
  '2': 'unbindRequest',
  '3': 'searchRequest',
  '6': 'modifyRequest',
  '8': 'addRequest',
  '10': 'delRequest',
  '12': 'modDNRequest',
  '14': 'compareRequest',
  '16': 'abandonRequest',
  '23': 'extendedReq',
  '24': 'extendedResp',
}

/** Entries of a search belong to the answer that ends it; the number of the message says to which. */
export const ldap: Mapping = {
  protocol: 'ldap',
  dissector: 'ldap',
  read: (packets) => {
    const messages: TheirMessage[] = []
    const begun = new Map<string, number>()
    const parts = readLayers(packets, 'ldap', {
      asked: 'ldap.response_to',
      split: (layer) => findAll([layer], 'ldap.LDAPMessage_element'),
      key: (message) => firstText([message], 'ldap.messageID'),
    })
    for (const message of parts) {
      const place = `${message.flow}|${message.from}|${message.key}`
      const at = begun.get(place)
      if (at === undefined) begun.set(place, messages.push(message) - 1)
      else
        messages[at] = {
          ...messages[at],
          time: message.time,
          nodes: [...messages[at].nodes, ...message.nodes],
        }
    }
    return messages
  },
  key: (message: OurMessage) => String(own(message, 'message_id')),
  fields: {
    operation: {
      on: 'request',
      theirs: (nodes) => OPERATIONS[firstText(nodes, 'ldap.protocolOp') ?? ''],
      ours: 'method',
    },
    version: { on: 'request', theirs: 'ldap.version', ours: 'request.version' },
    bind_name: {
      on: 'request',
      theirs: filled('ldap.name'),
      ours: ({ call: { method, path } }) => (method === 'bindRequest' ? path : undefined),
    },
    base: {
      on: 'request',
      theirs: filled('ldap.baseObject'),
      ours: ({ call: { method, path } }) => (method === 'searchRequest' ? path : undefined),
    },
    scope: {
      on: 'request',
      theirs: (nodes) => SCOPES[Number(firstText(nodes, 'ldap.scope'))],
      ours: 'ldap.scope',
    },
    filter: {
      on: 'request',
      theirs: (nodes) =>
        findAll(nodes, '')
          .map(({ show }) => /^Filter: (.*)$/s.exec(show)?.[1])
          .find((text) => text !== undefined),
      ours: 'ldap.filter',
    },
    size_limit: { on: 'request', theirs: 'ldap.sizeLimit', ours: 'request.size_limit' },
    result: { on: 'response', theirs: lastResult, ours: 'ldap.result_code' },
    matched: { on: 'response', theirs: filled('ldap.matchedDN'), ours: 'ldap.matched_dn' },
    error: { on: 'response', theirs: filled('ldap.errorMessage'), ours: 'ldap.message' },
    entries: {
      on: 'response',
      theirs: (nodes) => {
        const count = findAll(nodes, 'ldap.searchResEntry_element').length
        return findAll(nodes, 'ldap.searchResDone_element').length > 0 ? String(count) : undefined
      },
      ours: 'ldap.entries',
    },
  },
}

const SCOPES = ['baseObject', 'singleLevel', 'wholeSubtree']

function lastResult(nodes: readonly Shown[]): string | undefined {
  return findAll(nodes, 'ldap.resultCode').at(-1)?.show
}
