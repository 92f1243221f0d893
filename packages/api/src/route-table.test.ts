import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { routeTable } from './route-table.ts'

test('the routes of the dashboard are up to date: `npm run docs` writes them', () => {
  const file = fileURLToPath(new URL('../../../apps/dashboard/src/client/routes.ts', import.meta.url))
  expect(readFileSync(file, 'utf8')).toBe(routeTable())
})
