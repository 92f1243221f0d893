import { z } from 'zod'
import { type Capability, capabilities } from './capability.ts'
import type { Operation, Scope } from './operation.ts'
import { operations } from './operations/index.ts'
import { roles } from './role.ts'

/** The page `docs/api.md`: routes, parameters, capabilities and roles, from the tables that the hub itself runs on. */
export function apiReference(): string {
  const sections = Object.entries<Operation>(operations).map(([name, operation]) => describe(name, operation))
  return [intro, '## Roles', matrix(), '## Operations', ...sections, ''].join('\n\n')
}

const intro = `# The HTTP interface

This page is generated from the tables in \`packages/api\`. \`GET /openapi.json\` describes the same for machines, and
\`GET /mcp\` lists it for assistants.

Each operation exists once and is offered at two doors: under \`/mcp\` for AI assistants and under \`/api\` for the dashboard and
the command line. An operation demands its own capability; everything under \`/mcp\` demands \`mcp:use\` besides. Some
have a second address at the root.

Times in \`*_ts\` are Unix milliseconds, in \`*_at\` RFC 3339 in UTC; parameters take both. Durations are written \`90s\`, \`30m\`,
\`1h30m\`, \`2d\`. Every answer carries a \`Tapdeck-Version\` header; within a major version, routes, fields and
configuration keys are only added to.

A parameter that an operation does not know, in the query or in a JSON body, is ignored, since clients of other versions and of
today's systems send more than we know. So that no misspelled filter is taken for applied, the answer says so in a
\`Tapdeck-Warning\` header and in \`warnings\`, with the nearest name. Names that begin with \`_\` are passed over without a word.
The download of packets, and what makes or changes agents, recordings and snapshots' remarks, refuse what they do not know, as do the tools
of the MCP endpoint.

Errors are \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`, and \`hint\` where one helps:

| status | when |
|---|---|
| 400 | a body, parameter, name, duration or filter is malformed; a filter's error has \`position\`, \`length\`, \`expected\`, \`suggestion\` |
| 401 | no credential, or a bad one, where callers are identified |
| 403 | the caller lacks a capability, named in \`missing\`; or its role is narrowed to namespaces and this cannot be (\`outside_scope\`); or a page of another origin asks |
| 404 | no such thing; \`hint\` has names that come close |
| 405 | not by this method; \`Allow\` has the others |
| 409 | the name is taken, or the thing is busy |
| 413 | the body is too large |
| 429 | too much at once, or too many bad credentials; \`Retry-After\` says when to come again |
| 503 | no worker or storage can be reached |
| 507 | there is no room for the snapshot |`

function matrix(): string {
  const names = Object.entries<readonly Capability[]>(roles)
  const rows = capabilities.map((capability) => {
    const marks = names.map(([, held]) => (held.includes(capability) ? '✓' : ''))
    return `| \`${capability}\` | ${marks.join(' | ')} |`
  })
  const head = `| capability | ${names.map(([name]) => `\`${name}\``).join(' | ')} |`
  return [head, `|---|${names.map(() => ':-:|').join('')}`, ...rows].join('\n')
}

function describe(name: string, operation: Operation): string {
  const { title, description, method, path, doors, aliases = [], status = 200 } = operation
  const addresses = [
    ...doors.map((door) => `${method} /${door}${path}`),
    ...aliases.map((alias) => `${alias.method} ${alias.path}`),
  ]
  return [
    `### ${title}`,
    addresses.map((address) => `\`${address}\``).join(' · '),
    `${description} Needs ${neededBy(operation)}. ${narrowed[operation.scope]}Answers ${status}.${doors.includes('mcp') ? ` As a tool: \`${name}\`.` : ''}`,
    ...parameters(operation),
  ].join('\n\n')
}

/** What a role that is narrowed to namespaces gets. */
const narrowed: Readonly<Record<Scope, string>> = {
  kfl: 'A role narrowed to namespaces sees only theirs. ',
  refused: 'Refused to a role narrowed to namespaces. ',
  none: '',
}

function neededBy({ capability }: Operation): string {
  if (capability === undefined) return 'no capability of its own'
  return typeof capability === 'string'
    ? `\`${capability}\``
    : '`dissection:live`, or `snapshot:read` with `db`'
}

interface ParameterSchema {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
}

function parameters({ input }: Operation): string[] {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as {
    readonly properties?: Readonly<Record<string, ParameterSchema>>
    readonly required?: readonly string[]
  }
  const rows = Object.entries(schema.properties ?? {}).map(([name, parameter]) => {
    const needed = schema.required?.includes(name) ? 'yes' : ''
    return `| \`${name}\` | ${kindOf(parameter)} | ${needed} | ${parameter.description ?? ''} |`
  })
  return rows.length === 0
    ? []
    : [['| parameter | kind | required | |', '|---|---|---|---|', ...rows].join('\n')]
}

function kindOf(parameter: ParameterSchema): string {
  const { type = 'text or number', minimum, maximum } = parameter
  const values = parameter.enum === undefined ? type : parameter.enum.map((value) => `\`${value}\``).join(' ')
  const bounds =
    minimum === undefined || maximum === undefined || type !== 'integer' ? '' : ` ${minimum}–${maximum}`
  const otherwise =
    parameter.default === undefined || parameter.default === '' ? '' : `, default \`${parameter.default}\``
  return `${values}${bounds}${otherwise}`
}
