import { Problem } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import { questions, RedactedNames } from '@tapdeck/questions'
import type { Redactor } from '@tapdeck/redact'
import type { CallSource } from './call-source.ts'

/** What a filter may read without telling anything of payloads by what it matches. */
const PLAIN =
  /^(id|ts|(src|dst)(\..*)?|proto|method|path|status|error|connection_end|delivery|latency_ms|ttfb_ms|tcp\..*|tcp_handshake_.*|flow\..*|(conn|flow|node)_id|node_ip|has_pcap|decrypted|capture_source|re(q|sp)_size|(request|response)\.(body_size|headers_size|truncated|http_version))$/

/** A source for callers who see payloads redacted. A filter on hidden values would reveal them, so it is refused. */
export function redactedSource(
  source: CallSource,
  redactor: Redactor,
  catalog: Catalog,
  now: () => number,
): CallSource {
  const names = new RedactedNames(redactor)
  return {
    node: source.node,
    isShared: source.isShared ?? false,
    ask: (question, input, options) =>
      questions[question].redact(input, {
        ask: (inner, asked) => source.ask(inner, asked, options),
        call: (call) => redactor.presented(call),
        names,
        allow: (kfl) => assertNoRedactedFields(kfl, catalog, now()),
        allowField(name) {
          const field = catalog.find(name)
          for (const path of field ? [field.path, ...(field.fallbacks ?? [])] : [])
            if (isRedactedPath(path)) refuse(name)
        },
      }),
  }
}

/** Whether a field may be hidden in what a redacted role sees. */
export function isRedactedPath(path: string): boolean {
  return !PLAIN.test(path)
}

/** Throws 403 where a filter reads what is redacted, and `KflError` where it is wrong. */
export function assertNoRedactedFields(kfl: string, catalog: Catalog, now: number): void {
  const hidden = compile(kfl, catalog, now).paths.find(isRedactedPath)
  if (hidden !== undefined) refuse(hidden)
}

function refuse(path: string): never {
  throw new Problem(
    403,
    'redacted_field',
    `This role sees redacted calls and cannot filter or group by ${path}`,
    {
      hint: 'Use peers, times, method, path, status, sizes or latency.',
    },
  )
}
