import { definedValues } from '../../content/defined-values.ts'
import type { Summary } from '../../contract/call.ts'
import type { Exchange, Presentation } from '../../contract/dissector.ts'
import { cipherSuiteName } from '../tls/cipher-suites.ts'
import { readClientHello, serverNameOf } from '../tls/client-hello.ts'
import { extensionName } from '../tls/extension-name.ts'
import { ja4 } from '../tls/fingerprint.ts'
import { groupName } from '../tls/group.ts'
import { isGrease } from '../tls/hello.ts'
import { readServerHello } from '../tls/server-hello.ts'

type Draft = { -readonly [K in keyof Summary]: Summary[K] }

export function summarize({ request, response }: Exchange): Summary {
  const summary: Draft = { method: 'ClientHello' }
  const name = request?.head === undefined ? undefined : serverNameOf(request.head)
  if (name !== undefined) summary.path = name
  const { error, error_by } = response?.fields ?? {}
  if (typeof error === 'string') {
    summary.status = error
    summary.failure = `${error} from the ${error_by}`
  }
  return summary
}

export function present({ request, response }: Exchange): Presentation {
  const client = request?.head === undefined ? undefined : readClientHello(request.head)
  const server = response?.head === undefined ? undefined : readServerHello(response.head)
  const asked = request?.fields ?? {}
  const answered = response?.fields ?? {}
  const suite = server?.cipherSuite === undefined ? undefined : cipherSuiteName(server.cipherSuite)
  return {
    ...(request === undefined
      ? {}
      : { request: definedValues({ extensions: client?.extensions.map(extensionName) }) }),
    ...(response === undefined
      ? {}
      : { response: definedValues({ extensions: server?.extensions.map(extensionName) }) }),
    own: definedValues({
      version: answered.version ?? asked.version,
      sni: client?.sni,
      alpn: client?.alpn,
      cipher_suite: suite,
      cipher_suites: client?.cipherSuites.filter((code) => !isGrease(code)).map(cipherSuiteName),
      group: server?.group === undefined ? undefined : groupName(server.group),
      resumed: server?.preShared,
      early_data: client?.earlyData || undefined,
      hello_retry: answered.hello_retry,
      retry: answered.retry,
      versions: answered.versions,
      destination_id: asked.destination_id,
      source_id: asked.source_id,
      error: answered.error,
      error_by: answered.error_by,
      reason: answered.reason,
      decrypted: answered.decrypted,
      not_decrypted: answered.not_decrypted,
      ja4: client === undefined ? undefined : ja4(client, 'q'),
    }),
  }
}

/** Absent is absent. */
