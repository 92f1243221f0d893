import { type Method, type OperationName, operations } from '@tapdeck/api'
import { routes } from '../http/routes.ts'
import { inputSchema, type ObjectSchema, outputSchema } from '../input/json-schema.ts'
import { MAX_CHARS } from './fit-answer.ts'
import { formerNames, type ToolGroup, toolGroups, toolList } from './tool-list.ts'

/** A tool as an assistant sees it. */
export interface Tool {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly inputSchema: ReturnType<typeof inputSchema>
  readonly annotations: {
    readonly readOnlyHint: boolean
    readonly destructiveHint: boolean
    readonly idempotentHint: boolean
    readonly openWorldHint: boolean
  }
}

type OutputSchema = { readonly type: 'object' } & Readonly<Record<string, unknown>>

/** The operations of the interface `/mcp` that JSON can carry, with the method of each. */
const callable: ReadonlyMap<OperationName, Method> = new Map(
  routes
    .filter((route) => route.interface === 'mcp' && operations[route.operation].bytes !== 'request')
    .map(({ operation, method }) => [operation, method]),
)

/** The tools in the order of the list; the same bytes after every start. */
export const tools: readonly Tool[] = [
  ...Object.values(toolList)
    .flat()
    .map((name) => describe(name)),
  ...toolGroups.map(describeGroup),
]

/** Every name that can be called: those of the list, and operations that are not in it. */
export const toolNames: ReadonlySet<string> = new Set([
  ...tools.map(({ name }) => name),
  ...callable.keys(),
  ...Object.keys(formerNames),
])

/** The arguments of an operation, `max_chars` among them. */
export const argumentsOf: ReadonlyMap<OperationName, readonly string[]> = new Map(
  Array.from(callable.keys(), (name) => [name, Object.keys(schemaOf(name).properties)]),
)

/** The schemas of the answers, by tool, for clients that asked for structured answers. */
export const outputSchemas: ReadonlyMap<string, OutputSchema> = new Map(
  tools.flatMap(({ name }): [string, OutputSchema][] => {
    const group = toolGroups.find((one) => one.name === name)
    if (group) return [[name, { type: 'object' }]]
    const { bytes, output, changes } = operations[name as OperationName]
    if (bytes !== undefined) return [[name, { type: 'object' }]]
    return [[name, changes ? { type: 'object' } : outline(outputSchema(output))]]
  }),
)

function describe(name: OperationName): Tool {
  const { title, description, bytes, changes = false, additive = false } = operations[name]
  return {
    name,
    title,
    description: bytes === 'response' ? `${description} Returns the URL to download it from.` : description,
    inputSchema: schemaOf(name),
    annotations: {
      readOnlyHint: !changes,
      destructiveHint: changes && !additive,
      idempotentHint: callable.get(name) !== 'POST',
      openWorldHint: false,
    },
  }
}

/** Its arguments are those of all its actions; the description says which action takes which. */
function describeGroup({ name, title, description, actions }: ToolGroup): Tool {
  const entries = Object.entries(actions)
  const lines = entries.map(([action, operation]) => `${action}(${argumentList(operation)})`)
  const properties = Object.assign({}, ...entries.map(([, operation]) => schemaOf(operation).properties))
  return {
    name,
    title,
    description: `${description} Actions: ${lines.join('; ')}.`,
    inputSchema: {
      type: 'object',
      properties: { action: { type: 'string', enum: Object.keys(actions) }, ...properties },
      required: ['action'],
    },
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    },
  }
}

/** Such as `name, new_name?, tags?`. */
function argumentList(operation: OperationName): string {
  const { properties, required = [] } = schemaOf(operation)
  const names = Object.keys(properties).filter((name) => name !== MAX_CHARS)
  return names.map((name) => (required.includes(name) ? name : `${name}?`)).join(', ')
}

function schemaOf(name: OperationName): ObjectSchema {
  const { input, bytes } = operations[name]
  return briefSchema(bytes === undefined ? withMaxChars(inputSchema(input)) : inputSchema(input))
}

/** Each answer can be bounded. The server's instructions describe the argument once for all tools. */
function withMaxChars(schema: ObjectSchema): ObjectSchema {
  return { ...schema, properties: { ...schema.properties, [MAX_CHARS]: { type: 'integer' } } }
}

/** Without lengths and patterns: the hub checks them, and its messages say what is accepted. */
function briefSchema(schema: ObjectSchema): ObjectSchema {
  const brief = Object.entries(schema.properties).map(([name, { pattern, maxLength, ...rest }]) => [
    name,
    rest,
  ])
  return { ...schema, properties: Object.fromEntries(brief) }
}

/** The members of an answer and their types. What they contain is in the API reference. */
function outline(schema: Readonly<Record<string, unknown>>): OutputSchema {
  const { properties = {} } = schema as { properties?: Record<string, { type?: unknown }> }
  const types = Object.entries(properties).map(([name, { type }]) => [
    name,
    type === undefined ? {} : { type },
  ])
  return { type: 'object', properties: Object.fromEntries(types) }
}
