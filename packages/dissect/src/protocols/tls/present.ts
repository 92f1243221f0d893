import { definedValues } from '../../content/defined-values.ts'
import type { PresentedMessage, Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { base64, utf8 } from '../../text/text.ts'
import { type Certificate, readCertificate } from './certificate.ts'
import { certificatesOf } from './certificate-list.ts'
import { cipherSuiteName } from './cipher-suites.ts'
import { type ClientHello, offeredVersion, readClientHello, serverNameOf } from './client-hello.ts'
import { extensionName } from './extension-name.ts'
import { ja3, ja3s, ja4 } from './fingerprint.ts'
import { groupName } from './group.ts'
import { isGrease } from './hello.ts'
import { readServerHello, type ServerHello } from './server-hello.ts'
import { versionName } from './version.ts'
import { warnings } from './warnings.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = { method: 'ClientHello' }
  const name = request?.head === undefined ? undefined : serverNameOf(request.head)
  if (name !== undefined) summary.path = name
  const fields = response?.fields
  if (fields === undefined) return summary
  if (typeof fields.alert === 'string') summary.status = fields.alert
  if (fields.not_tls === true) summary.failure = 'the server does not speak TLS'
  else if (fields.failed === true) summary.failure = `${fields.alert} from the ${fields.alert_by}`
  else if (typeof fields.ended === 'string') summary.failure = `${fields.ended} during the handshake`
  return summary
}

export function present(exchange: Exchange): Presentation {
  const { request, response } = exchange
  const client = request?.head === undefined ? undefined : readClientHello(request.head)
  const server = response?.head === undefined ? undefined : readServerHello(response.head)
  return {
    ...(request === undefined ? {} : { request: presentClient(request, client) }),
    ...(response === undefined ? {} : { response: presentServer(response, server) }),
    own: own(exchange, client, server),
  }
}

function presentClient({ truncated }: Message, hello: ClientHello | undefined): PresentedMessage {
  return definedValues({
    version: hello === undefined ? undefined : versionName(offeredVersion(hello)),
    extensions: hello?.extensions.map(extensionName),
    signature_algorithms: hello?.signatureAlgorithms.map(hex),
    truncated,
  })
}

function presentServer(
  { fields, body, truncated }: Message,
  hello: ServerHello | undefined,
): PresentedMessage {
  const said = fields?.not_tls === true ? body : undefined
  const text = said === undefined ? undefined : utf8(said)
  return definedValues({
    version: hello === undefined ? undefined : versionName(hello.version),
    extensions: hello?.extensions.map(extensionName),
    body: text ?? (said === undefined ? undefined : base64(said)),
    body_encoding: said !== undefined && text === undefined ? 'base64' : undefined,
    truncated,
  })
}

function own(
  { request, response }: Exchange,
  client: ClientHello | undefined,
  server: ServerHello | undefined,
): NonNullable<Presentation['own']> {
  const fields = response?.fields ?? {}
  const chain = fields.not_tls === true || response?.body === undefined ? [] : certificatesOf(response.body)
  const [certificate, ...others] = chain.map((one) => readCertificate(one))
  const expired = isExpired(certificate, response?.end)
  const suite = server?.cipherSuite === undefined ? undefined : cipherSuiteName(server.cipherSuite)
  const version = server?.version ?? (client === undefined ? undefined : offeredVersion(client))
  const offered = client?.cipherSuites.filter((code) => !isGrease(code)) ?? []
  const alpn = server?.alpn ?? (client && client.alpn.length > 0 ? client.alpn.join(',') : undefined)
  const requestSize = request?.size
  const responseSize = response?.size
  return definedValues({
    sni: client?.sni,
    version: version === undefined ? undefined : versionName(version),
    version_code: version,
    versions_offered: names(client?.versions, versionName),
    cipher_suite: suite,
    cipher_suite_code: server?.cipherSuite,
    cipher_suites: client === undefined ? undefined : offered.map(cipherSuiteName),
    alpn,
    alpn_offered: client && client.alpn.length > 0 ? client.alpn : undefined,
    alpn_chosen: server?.alpn,
    group: groupOf(server, fields.group, suite),
    groups_offered: names(client?.groups, groupName),
    key_shares: names(client?.keyShares, groupName),
    complete: fields.complete === true,
    resumed: server === undefined ? undefined : server.preShared || fields.resumed === true,
    hello_retry: fields.hello_retry,
    early_data: client?.earlyData || undefined,
    encrypted_client_hello: client?.encryptedHello || undefined,
    started_by: request?.fields?.started_by,
    decrypted: fields.decrypted,
    not_decrypted: fields.not_decrypted,
    alert: fields.alert,
    alert_by: fields.alert_by,
    certificate: certificate === undefined ? undefined : { ...certificate, expired },
    chain: chain.length > 1 ? others.map((one) => one?.subject ?? 'unreadable') : undefined,
    client_certificate_requested: fields.client_certificate_requested,
    client_certificate: fields.client_certificate,
    ja3: client === undefined ? undefined : ja3(client),
    ja3s: server === undefined ? undefined : ja3s(server),
    ja4: client === undefined ? undefined : ja4(client, 't'),
    warnings: warnings({
      ...(server === undefined ? {} : { version: server.version }),
      ...(server?.cipherSuite === undefined ? {} : { suite: server.cipherSuite }),
      offered,
      ...(certificate === undefined ? {} : { certificate }),
      expired,
    }),
    summary: [version === undefined ? undefined : versionName(version), suite, client?.sni, alpn]
      .filter((part) => part !== undefined)
      .join(' '),
    info: server === undefined ? 'ClientHello' : 'ServerHello',
    request_size: requestSize,
    response_size: responseSize,
    total_size: (requestSize ?? 0) + (responseSize ?? 0),
  })
}

/** TLS 1.3 says it in the hello; before, an exchange over an elliptic curve names it. */
function groupOf(
  server: ServerHello | undefined,
  named: unknown,
  suite: string | undefined,
): string | undefined {
  if (server?.group !== undefined) return groupName(server.group)
  return typeof named === 'number' && suite?.includes('_ECDH') ? groupName(named) : undefined
}

/** At the time of the handshake, not of looking at it. */
function isExpired(certificate: Certificate | undefined, time: number | undefined): boolean {
  if (certificate?.not_after === undefined || time === undefined) return false
  return Date.parse(certificate.not_after) * 1000 < time
}

function names(codes: readonly number[] | undefined, name: (code: number) => string): string[] | undefined {
  const known = codes?.filter((code) => !isGrease(code))
  return known === undefined || known.length === 0 ? undefined : known.map(name)
}

function hex(code: number): string {
  return `0x${code.toString(16).padStart(4, '0')}`
}

/** Absent is absent. */
