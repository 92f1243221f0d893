import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { fieldReference } from './field-reference.ts'
import { sampleProtocols } from './testing/index.ts'

test('the reference names every field once, with its meaning and an example', () => {
  const catalog = createCatalog(sampleProtocols)
  const text = fieldReference(catalog)
  for (const field of catalog.fields) expect(text.split(`\`${field.name}\``).length).toBeGreaterThan(1)
  expect(text).toContain(
    '| `src.svc`, `src.svc.name`, `src.service`, `src.service.name` | string | Service of the client | `src.svc == "checkout"` |',
  )
  expect(text).toContain('## http, grpc, graphql')
  expect(text).toContain('## Protocol flags')
})
