import type { Catalog } from './catalog.ts'
import type { CatalogField } from './field.ts'
import { UNAVAILABLE } from './unavailable.ts'

const intro = `# Fields of the filter language

This page lists every field that a [KFL](kfl.md) filter can use. It is generated from the catalog that filters are checked against. Names in one row
mean the same.

\`\`\`sh
tapdeck kfl fields handshake                          # the same list in a terminal, by word
tapdeck calls --kfl 'tcp.handshake_us > 5ms'
\`\`\`
`

/** The catalog as a Markdown page: one row a meaning, all its names together, with an example that compiles. */
export function fieldReference(catalog: Catalog): string {
  const sections = new Map<string, Map<string, { field: CatalogField; names: string[] }>>()
  for (const field of catalog.fields) {
    const title = section(field)
    const rows = sections.get(title) ?? new Map<string, { field: CatalogField; names: string[] }>()
    sections.set(title, rows)
    const key = [
      field.path,
      field.type,
      field.means,
      field.derive,
      field.unit,
      field.fallbacks,
      field.members,
      JSON.stringify(field.entries),
    ].join('|')
    const row = rows.get(key)
    if (row) row.names.push(field.name)
    else rows.set(key, { field, names: [field.name] })
  }
  const tables = [...sections].map(([title, rows]) => table(title, [...rows.values()]))
  return [intro, ...tables, unavailable()].join('\n')
}

/** Names from elsewhere that are refused, and why. */
function unavailable(): string {
  const rows = Object.entries(UNAVAILABLE).map(([name, { why, instead }]) => {
    const nearest = instead === undefined ? '' : `\`${instead}\``
    return `| \`${name}\` | ${cell(why)} | ${nearest} |`
  })
  const head = [
    '## Known elsewhere, refused here',
    '',
    'A filter that uses one of these is an error that says why; it never silently matches nothing.',
    '',
    '| name | why | nearest |',
    '|---|---|---|',
  ]
  return [...head, ...rows, ''].join('\n')
}

function section(field: CatalogField): string {
  if (field.means !== undefined && field.path === 'proto') return 'Protocol flags'
  if (field.protocols) return field.protocols.join(', ')
  if (/^(src|dst|local|remote)[._]/.test(field.name) || field.members) return 'Client and server'
  if (/^tcp[._]/.test(field.name)) return 'TCP'
  if (/^(conn|flow)_/.test(field.name)) return 'Flow'
  if (/^re(quest|q|sponse|sp)[._]/.test(field.name) && !/path|method|status/.test(field.path))
    return 'Request and response'
  return 'Call'
}

function table(title: string, rows: readonly { field: CatalogField; names: readonly string[] }[]): string {
  const lines = rows.map(({ field, names }) => {
    const example = `\`${field.example}\``
    return `| ${names.map((name) => `\`${name}\``).join(', ')} | ${field.type} | ${cell(field.doc)} | ${cell(example)} |`
  })
  return [`## ${title}`, '', '| field | type | meaning | example |', '|---|---|---|---|', ...lines, ''].join(
    '\n',
  )
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
