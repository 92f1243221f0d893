import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
const matches = (filter: string, call: object) => compile(filter, catalog, 0).matches(call)

describe('a member of a list in JSON is that of each of its elements', () => {
  const call = { response: { body: '{"items":[{"id":1,"tags":["a"]},{"id":2,"tags":["b","c"]},3]}' } }

  test.each([
    ['response.body.json.items.id == 2', true],
    ['response.body.json.items.id == 3', false],
    ['response.body.json.items.id != 3', true],
    ['response.body.json.items.id != 2', false],
    ['response.body.json.items.id > 1', true],
    ['response.body.json.items.tags == "c"', true],
    ['size(response.body.json.items.tags) == 3', true],
    ['response.body.json.items.price', false],
    ['response.body.json.items.constructor', false],
    ['response.body.json.items[1].id == 2', true],
  ])('%s', (filter, expected) => {
    expect(matches(filter, call)).toBe(expected)
  })
})

describe('a number in JSON that no double can hold', () => {
  const call = {
    response: {
      body: '{"id":1234567890123456789,"list":[-9007199254740993],"part":0.12345678901234567890,"text":"9007199254740993"}',
    },
  }

  test.each([
    ['response.body.json.id == 1234567890123456789', true],
    ['response.body.json.id == "1234567890123456789"', true],
    ['response.body.json.id == 1234567890123456788', false],
    ['response.body.json.id != 1234567890123456788', true],
    ['response.body.json.id in [1, 1234567890123456789]', true],
    ['response.body.json.id in [1, 1234567890123456790]', false],
    ['response.body.json.id > 1234567890', true],
    ['response.body.json.list[0] == -9007199254740993', true],
    ['response.body.json.list[0] == -9007199254740992', false],
    ['response.body.json.part < 0.2', true],
    ['response.body.json.text == 9007199254740993', true],
  ])('%s', (filter, expected) => {
    expect(matches(filter, call)).toBe(expected)
  })
})
