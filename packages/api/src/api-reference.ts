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

Use this page to call the hub from a program: every route, parameter, capability, role and error. It is generated from the tables in
\`packages/api\`. \`GET /openapi.json\` describes the same for machines, and \`GET /mcp\` lists it for assistants.

\`\`\`sh
curl -sG localhost:8898/api/calls --data-urlencode 'kfl=response.status >= 500' -d limit=5
curl -s localhost:8898/api/snapshots -H 'content-type: application/json' -d '{"name":"incident-1","duration":"10m"}'
\`\`\`

Each operation exists once and is available under \`/mcp\`, for AI assistants, and under \`/api\`, for the dashboard and the command line. An
operation needs its own capability; everything under \`/mcp\` also needs \`mcp:use\`. Some operations have a second route at the root.

Times in \`*_ts\` are Unix milliseconds, in \`*_at\` RFC 3339 in UTC; parameters take both. Durations are written \`90s\`, \`30m\`, \`1h30m\`,
\`2d\`. Every answer has a \`Tapdeck-Version\` header. Within a major version, routes, fields and configuration keys are only added.

An unknown parameter, in the query or in a JSON body, is ignored, because clients of other versions may send more than this version knows. The answer
says so in a \`Tapdeck-Warning\` header and in \`warnings\`, with the nearest name, so that a misspelled filter is noticed. Names that begin with
\`_\` are ignored without a warning. The download of packets, the operations that make or change agents, recordings and the tags and notes of
snapshots, and the MCP tools refuse unknown parameters.

Errors are \`application/problem+json\` (RFC 9457) with \`type\`, \`title\`, \`status\`, \`detail\`, \`code\`, and often a \`hint\`:

| status | when |
|---|---|
| 400 | a body, parameter, name, duration or filter is malformed; a filter's error has \`position\`, \`length\`, \`expected\`, \`suggestion\` |
| 401 | authentication is on, and the credential is missing or invalid |
| 403 | the caller lacks a capability, named in \`missing\`; or its role is limited to namespaces and the operation cannot be (\`outside_scope\`); or the request comes from a page of another origin |
| 404 | it does not exist; \`hint\` has similar names |
| 405 | the route has no such method; \`Allow\` lists its methods |
| 409 | the name exists already, or the object is in use |
| 413 | the body is too large |
| 429 | too many requests at once, or too many invalid credentials; \`Retry-After\` says when to try again |
| 503 | no worker or storage can be reached |
| 507 | there is no space for the snapshot, or the disk of the hub is full: nothing was stored |`

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
  const { title, description, method, path, interfaces, aliases = [], status = 200 } = operation
  const addresses = [
    ...interfaces.map((name) => `${method} /${name}${path}`),
    ...aliases.map((alias) => `${alias.method} ${alias.path}`),
  ]
  return [
    `### ${title}`,
    addresses.map((address) => `\`${address}\``).join(' · '),
    `${description} Needs ${neededBy(operation)}. ${narrowed[operation.scope]}Answers ${status}.${interfaces.includes('mcp') ? ` As a tool: \`${name}\`.` : ''}`,
    ...parameters(operation),
  ].join('\n\n')
}

/** What a role with namespaces gets. */
const narrowed: Readonly<Record<Scope, string>> = {
  kfl: 'A role with namespaces gets only their data. ',
  refused: 'Refused for a role with namespaces. ',
  none: '',
}

function neededBy({ capability, anyCaller }: Operation): string {
  if (capability === undefined) return `no capability: ${anyCaller?.replace(/^It/, 'it').replace(/[.]$/, '')}`
  if (typeof capability === 'function') return '`dissection:live`, or `snapshot:read` with `db`'
  const any = typeof capability === 'string' ? [capability] : capability.anyOf
  return any.map((one) => `\`${one}\``).join(' or ')
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
