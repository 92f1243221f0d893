import { expect, test } from 'vitest'
import { bodyForms } from './body-forms.ts'

const kinds = (body: string, type = '', encoding?: string) =>
  bodyForms({ body, type, encoding }).map(({ kind }) => kind)

test('JSON is a tree first; what only looks like it is a text', () => {
  expect(kinds('{"a":1}')).toEqual(['tree', 'text', 'hex'])
  expect(kinds('{"a":')).toEqual(['text', 'hex'])
  expect(kinds('plain')).toEqual(['text', 'hex'])
})

test('a GraphQL request is read as its document', () => {
  const [graphql] = bodyForms({
    body: '{"query":"query A { b }","variables":{"c":1}}',
    type: 'application/json',
    encoding: undefined,
  })
  expect(graphql).toEqual({ kind: 'graphql', query: 'query A { b }', variables: { c: 1 } })
  expect(kinds('{"query":"shoes"}')).toEqual(['tree', 'text', 'hex'])
})

test('forms, images and gRPC messages are known by their content type', () => {
  const [form] = bodyForms({
    body: 'a=1&b=x+y%21&a=2',
    type: 'Application/X-WWW-Form-Urlencoded; charset=utf-8',
    encoding: undefined,
  })
  expect(form).toEqual({
    kind: 'form',
    pairs: [
      ['a', '1'],
      ['b', 'x y!'],
      ['a', '2'],
    ],
  })
  expect(bodyForms({ body: 'iVBORw==', type: 'image/png', encoding: 'base64' })[0]).toEqual({
    kind: 'image',
    source: 'data:image/png;base64,iVBORw==',
  })
  expect(kinds('PHN2Zz4=', 'image/svg+xml', 'base64')).toEqual(['hex'])
  expect(kinds('AAAAAAUKA3RlYQ==', 'application/grpc+proto', 'base64')).toEqual(['protobuf', 'hex'])
  expect(kinds('gAAAAAUKA3RlYQ==', 'application/grpc-web', 'base64')).toEqual(['hex'])
})
