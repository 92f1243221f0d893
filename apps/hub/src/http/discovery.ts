import { operations } from '@tapdeck/api'
import { protocols } from '@tapdeck/dissect'
import { inputSchema } from '../input/json-schema.ts'
import { prompts } from '../mcp/prompts.ts'
import { tools } from '../mcp/tools.ts'
import { version } from '../version.ts'
import { routes } from './routes.ts'

/** What `GET /mcp` says: the surface as a list of endpoints and, for clients that want tools, as a list of tools. */
export function discovery() {
  const surface = routes.filter((route) => route.interface !== 'api')
  return {
    name: 'Tapdeck',
    version,
    description:
      'Recorded and live network traffic of a cluster: check what is recorded, take a snapshot, dissect it, and search its calls with KFL filters.',
    protocols: Object.values(protocols).map(({ name, title }) => ({ name, title })),
    endpoints: surface.map(({ path, method, operation }) => ({
      path,
      method,
      description: operations[operation].description,
      params: parameters(operations[operation].input),
    })),
    tools: tools.map(({ name, description, inputSchema: schema }) => ({
      name,
      description,
      inputSchema: schema,
    })),
    prompts: prompts.map(({ write, ...prompt }) => prompt),
  }
}

function parameters(input: Parameters<typeof inputSchema>[0]) {
  const { properties, required = [] } = inputSchema(input)
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    type: typeof schema.type === 'string' ? schema.type : 'string',
    description: String(schema.description ?? ''),
    required: required.includes(name),
  }))
}
