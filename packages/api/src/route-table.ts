import type { Operation } from './operation.ts'
import { operations } from './operations/index.ts'

const intro = `/** Method and path of each operation. Generated from the table of operations by \`npm run docs\`: the page has no schemas. */
export const routes = {
`

/** The routes of all operations as a module of TypeScript, for clients that must stay small. */
export function routeTable(): string {
  const table: Readonly<Record<string, Operation>> = operations
  const lines = Object.entries(table).map(([name, { method, path, interfaces }]) => {
    const prefix = interfaces.includes('api') ? '/api' : '/mcp'
    return `  ${name}: { method: '${method}', path: '${prefix}${path}' },\n`
  })
  return `${intro}${lines.join('')}} as const\n`
}
