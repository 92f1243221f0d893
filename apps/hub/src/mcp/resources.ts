import { protocols } from '@tapdeck/dissect'
import { type Catalog, fieldReference } from '@tapdeck/kfl'

/** A text that an assistant may read before it asks. */
export interface Resource {
  readonly uri: string
  readonly name: string
  readonly title: string
  readonly description: string
  readonly mimeType: string
  read(): string
}

const guide = `# KFL in one page

A filter says which calls are wanted. It is checked before it runs: a wrong name or type is an error that points at
the place and says what to write; it never quietly matches nothing. check_filter tries one without running it; search_fields finds
names and values by a word.

Words and the CEL form mean the same and may be mixed: and/&&, or/||, not/!, ==, !=, <, <=, >, >=, in, contains,
startswith, endswith, matches (linear-time regular expressions). Text in single or double quotes.

    src.pod == "frontend-0" and request.path contains "/orders"
    dst.svc == "checkout" and response.status >= 500
    http && status_code >= 500 && path.startsWith("/api")
    latency > 250ms or tcp.retransmissions > 0
    src.ip in 10.0.0.0/8 and dst.ns != "kube-system"
    response.body.json.error.code == "E42"
    request.headers["x-request-id"] == "abc"
    redis and error
    proto in ["postgresql", "mysql"] and latency > 100ms

A name alone asks whether the call has it; a protocol's name asks for its calls. Durations (250ms, 5s, 2m) and sizes
(4KB, 1MB) have units. Lists: any(list, condition), all(list, condition). \`error\` holds for whatever a user would call
a failure. Start broad, look at get_api_stats, then narrow.
`

/** THE list of resources. */
export function resourcesOf(catalog: Catalog): readonly Resource[] {
  const text = 'text/markdown'
  return [
    {
      uri: 'tapdeck://kfl',
      name: 'kfl',
      title: 'The filter language in one page',
      description: 'Read this before writing a filter.',
      mimeType: text,
      read: () => guide,
    },
    {
      uri: 'tapdeck://kfl/fields',
      name: 'kfl-fields',
      title: 'Every field a filter may use',
      description: 'Names, types, meanings and an example each, by protocol.',
      mimeType: text,
      read: () => fieldReference(catalog),
    },
    {
      uri: 'tapdeck://protocols',
      name: 'protocols',
      title: 'Protocols that become calls',
      description: 'Which protocols are recognised, and the names that `proto` has for them.',
      mimeType: text,
      read: () =>
        `# Protocols\n\n${Object.values(protocols)
          .map(({ name, title }) => `- \`${name}\`: ${title}`)
          .join('\n')}\n`,
    },
  ]
}
