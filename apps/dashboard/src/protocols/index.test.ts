import { expect, test } from 'vitest'
import { protocolLook } from './index.ts'

test('a protocol without a description is shown by its name', () => {
  expect(protocolLook('pulsar')).toMatchObject({ label: 'pulsar', family: 'transport', request: 'Request' })
})

test('halves are called what their users call them', () => {
  expect([protocolLook('dns').request, protocolLook('postgresql').response]).toEqual(['Question', 'Result'])
})
