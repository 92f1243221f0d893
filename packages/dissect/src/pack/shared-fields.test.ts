import { expect, test } from 'vitest'
import { packExchange } from './exchange-codec.ts'
import { packedFields, shareFields } from './shared-fields.ts'

test('shared fields are packed like others', () => {
  const fields = { command: 'Exécute', list: [1, null, 'x'], deep: { on: true } }
  const exchange = (own: typeof fields) => ({
    protocol: 'mysql',
    request: { kind: 'request' as const, fields: own },
  })
  const packed = packExchange(exchange({ ...fields })).slice()
  expect(packExchange(exchange(shareFields(fields)))).toEqual(packed)
  expect(packedFields(fields)?.bytes).toEqual(new TextEncoder().encode(JSON.stringify(fields)))
  expect(packedFields({ ...fields })).toBeUndefined()
})
