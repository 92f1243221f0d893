import type { Mapping } from '../mapping.ts'
import type { TheirMessage } from '../message.ts'
import { findAll, firstText, type Shown } from '../pdml.ts'
import { readLayers } from '../read-layers.ts'
import { all, decimal, own } from '../values.ts'

const CLIENT_HELLO = '1'
const SERVER_HELLO = '2'
const CERTIFICATE = '11'
/** RFC 8446 §4.1.3: the random of a ServerHello that asks for another ClientHello. */
const RETRY = 'cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c'

/** The first hello of each side; to the server's belongs its certificate. What follows is encrypted or says no more. */
export const tls: Mapping = {
  protocol: 'tls',
  dissector: 'tls',
  read: (packets) => {
    const messages: TheirMessage[] = []
    const said = new Map<string, number>()
    for (const message of readLayers(packets, 'tls', {
      split: (layer) => findAll([layer], 'tls.handshake'),
    })) {
      // QUIC carries its hellos otherwise.
      if (!message.flow.startsWith('tcp')) continue
      const [handshake] = message.nodes
      const type = firstText([handshake], 'tls.handshake.type')
      const side = `${message.flow}|${message.from}`
      const at = said.get(side)
      if (type === CERTIFICATE && at !== undefined) {
        const before = messages[at]
        if (!before.nodes.some((node) => firstText([node], 'tls.handshake.type') === CERTIFICATE))
          messages[at] = { ...before, nodes: [...before.nodes, handshake] }
      }
      if (at !== undefined || (type !== CLIENT_HELLO && type !== SERVER_HELLO)) continue
      if (findAll([handshake], 'tls.handshake.random')[0]?.value === RETRY) continue
      said.set(side, messages.push(message) - 1)
    }
    return messages
  },
  inOrder: true,
  // An alert alone is no hello.
  takes: (message) => message.is !== 'response' || own(message, 'cipher_suite') !== undefined,
  fields: {
    sni: { on: 'request', theirs: 'tls.handshake.extensions_server_name', ours: 'tls.sni' },
    cipher_suites: {
      on: 'request',
      theirs: (nodes) => String(findAll(nodes, 'tls.handshake.ciphersuite').length),
      ours: (message) => {
        const list = own(message, 'cipher_suites')
        return Array.isArray(list) ? String(list.length) : undefined
      },
    },
    alpn_offered: {
      on: 'request',
      theirs: all('tls.handshake.extensions_alpn_str'),
      ours: 'tls.alpn_offered',
    },
    groups: {
      on: 'request',
      theirs: (nodes) => {
        const list = findAll(nodes, 'tls.handshake.extensions_supported_group')
        return list.length === 0 ? undefined : String(list.length)
      },
      ours: (message) => {
        const list = own(message, 'groups_offered')
        return Array.isArray(list) && list.length > 0 ? String(list.length) : undefined
      },
    },
    ja3: { on: 'request', theirs: 'tls.handshake.ja3', ours: 'tls.ja3' },
    cipher_suite: {
      on: 'response',
      theirs: decimal('tls.handshake.ciphersuite'),
      ours: 'tls.cipher_suite_code',
    },
    version: {
      on: 'response',
      theirs: (nodes) =>
        decimal('tls.handshake.extensions.supported_version')(nodes) ??
        decimal('tls.handshake.version')(nodes),
      ours: 'tls.version_code',
    },
    alpn: {
      on: 'response',
      theirs: 'tls.handshake.extensions_alpn_str',
      ours: (message) => asText(own(message, 'alpn_chosen')),
    },
    ja3s: { on: 'response', theirs: 'tls.handshake.ja3s', ours: 'tls.ja3s' },
    certificate_serial: {
      on: 'response',
      theirs: (nodes) => firstText(firstCertificate(nodes), 'x509af.serialNumber')?.replaceAll(':', ''),
      ours: 'tls.certificate.serial',
    },
    certificate_subject: { on: 'response', theirs: names('x509af.subject'), ours: distinguished('subject') },
    certificate_issuer: { on: 'response', theirs: names('x509af.issuer'), ours: distinguished('issuer') },
    not_after: {
      on: 'response',
      theirs: (nodes) => time(nodes, 'x509af.notAfter'),
      ours: 'tls.certificate.not_after',
    },
    not_before: {
      on: 'response',
      theirs: (nodes) => time(nodes, 'x509af.notBefore'),
      ours: 'tls.certificate.not_before',
    },
  },
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function firstCertificate(nodes: readonly Shown[]): Shown[] {
  return findAll(nodes, 'tls.handshake.certificate').slice(0, 1)
}

/** The values of a distinguished name, in order. */
function names(which: string) {
  return (nodes: readonly Shown[]) => {
    const found = findAll(firstCertificate(nodes), which)[0]
    if (found === undefined) return undefined
    return found.children.length === 0
      ? undefined
      : findAll([found], 'x509if.RelativeDistinguishedName_item_element').map(({ children }) =>
          lastText(children),
        )
  }
}

function lastText(nodes: readonly Shown[]): string {
  const leaves = nodes.flatMap(function leaf(node: Shown): Shown[] {
    return node.name.startsWith('x509sat.') && node.show !== '' && !/DirectoryString$/.test(node.name)
      ? [node]
      : node.children.flatMap(leaf)
  })
  return leaves.at(-1)?.show ?? ''
}

function distinguished(which: 'subject' | 'issuer') {
  return (message: Parameters<typeof own>[0]) => {
    const certificate = own(message, 'certificate')
    const text =
      typeof certificate === 'object' && certificate !== null ? Reflect.get(certificate, which) : undefined
    return typeof text === 'string' ? text.split(/(?<!\\),/).map(unescaped) : undefined
  }
}

function unescaped(part: string): string {
  return part.slice(part.indexOf('=') + 1).replace(/\\(.)/g, '$1')
}

/** `2045-01-01 00:00:00 (UTC)` */
function time(nodes: readonly Shown[], which: string): string | undefined {
  const [field] = findAll(firstCertificate(nodes), which)
  const text =
    field === undefined
      ? undefined
      : (firstText([field], 'x509af.utcTime') ?? firstText([field], 'x509af.generalizedTime'))
  return text?.replace(' ', 'T').replace(/ \(UTC\)$/, 'Z')
}
