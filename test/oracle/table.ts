import { protocols } from '@tapdeck/dissect'
import type { Explained } from './explained.ts'
import type { Finding } from './survey.ts'

/** What tshark cannot be asked about, and why. */
const UNASKED: Readonly<Record<string, string>> = {
  graphql: 'compared as the HTTP that carries it',
  grpc: 'compared as the HTTP/1 or HTTP/2 that carries it',
  http3: 'tshark 4.0 has no fields for its headers',
  nats: 'tshark 4.0 has no dissector for it',
  sctp: 'no capture; the counters have separate tests',
  udp: 'it has no messages',
}

/** Protocol by protocol, what was compared. */
export function checkedTable(findings: readonly Finding[], list: readonly Explained[]): string {
  const names = [...new Set([...Object.keys(protocols), ...findings.map(({ protocol }) => protocol)])]
  const rows = names.map((name) =>
    row(
      name,
      findings.filter(({ protocol }) => protocol === name),
      list,
    ),
  )
  const explained = list.reduce((sum, { times = 1 }) => sum + times, 0)
  const sum = (of: (finding: Finding) => number) =>
    findings.reduce((total, finding) => total + of(finding), 0)
  return [
    '| protocol | captures | calls | messages | fields | values compared | differences explained |',
    '|---|---|---|---|---|---|---|',
    ...rows,
    `| all | ${new Set(findings.map(({ capture }) => capture)).size} | | ${sum(({ messages }) => messages)} | | ${sum(({ values }) => values)} | ${explained} |`,
  ].join('\n')
}

function row(name: string, findings: readonly Finding[], list: readonly Explained[]): string {
  const why = UNASKED[name]
  if (findings.length === 0) return `| ${name} | – | | | | | ${why ?? 'not in these captures'} |`
  const sum = (of: (finding: Finding) => number) =>
    findings.reduce((total, finding) => total + of(finding), 0)
  const fields = new Set(findings.flatMap((finding) => [...finding.fields]))
  const captures = new Set(findings.map(({ capture }) => capture)).size
  const explained = list
    .filter(({ protocol }) => protocol === name)
    .reduce((total, { times = 1 }) => total + times, 0)
  return `| ${name} | ${captures} | ${sum(({ calls }) => calls)} | ${sum(({ messages }) => messages)} | ${fields.size} | ${sum(({ values }) => values)} | ${explained} |`
}

/** The list of differences as a page shows it. */
export function differencesTable(list: readonly Explained[]): string {
  const text = (value: string | undefined) =>
    value === undefined ? '–' : `\`${value.slice(0, 60).replaceAll('|', '\\|').replaceAll('\n', ' ')}\``
  return [
    '| protocol | capture | field | ours | tshark | times | reason |',
    '|---|---|---|---|---|---|---|',
    ...list.map(
      ({ protocol, capture, field, ours, theirs, times = 1, reason }) =>
        `| ${protocol} | ${capture} | ${field} | ${text(ours)} | ${text(theirs)} | ${times} | ${reason} |`,
    ),
  ].join('\n')
}
