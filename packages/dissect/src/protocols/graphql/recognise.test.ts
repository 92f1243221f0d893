import { describe, expect, it } from 'vitest'
import { spokenAs } from '../http/spoken-as.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const post = (path: string, body: string, type = 'application/json; charset=utf-8') =>
  spokenAs(bytes(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n\r\n`), bytes(body))
const get = (target: string) => spokenAs(bytes(`GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n`), undefined)

describe('GraphQL is recognised', () => {
  it.each([
    ['by its path', '/graphql', '{"operationName":"A","extensions":{}}'],
    ['by a path further down', '/api/v2/GraphQL/public', '{"query":"x"}'],
    ['by its document', '/api', '{"query":"query A($id: ID!) { a }"}'],
    ['by a document in short form', '/api', '{"query":"{ a { b } }"}'],
    [
      'by a document after its variables',
      '/api',
      '{"variables":{"query":"no","n":[{"a":1}]},"query":"mutation { a }"}',
    ],
    [
      'by a document with line breaks and comments',
      '/api',
      '{"query":"# hello\\n\\n  subscription S {\\n a }"}',
    ],
    ['by a fragment', '/api', '{"query":"fragment F on T { a } query { ...F }"}'],
    ['in a list', '/api', '[{"query":"{ a }"},{"query":"{ b }"}]'],
  ])('%s', (_, path, body) => expect(post(path, body)).toBe('graphql'))

  it('behind whatever looks like the key', () => {
    for (const other of ['', 'q', 'qu', 'uery', 'quer', 'yyyy', 'queryquery', 'x'.repeat(3000)])
      for (let more = 0; more < 9; more++)
        expect(post('/api', `{"${other}":"${'e'.repeat(more)}","query":"{ a }"}`)).toBe('graphql')
  })
  it('by its content type', () => expect(post('/x', '{ a }', 'application/graphql')).toBe('graphql'))
  it('in a GET', () => {
    expect(get('/graphql?query=%7Ba%7D')).toBe('graphql')
    expect(get('/gql?a=1&extensions=%7B%7D')).toBe('graphql')
  })
})

describe('GraphQL is not', () => {
  it.each([
    ['a search', '/search', '{"query":"query tea and milk"}'],
    ['a search in an object', '/idx/_search', '{"query":{"match_all":{}}}'],
    ['a deeper query', '/api', '{"a":{"query":"{ a }"}}'],
    ['a value', '/api', '{"kind":"query","text":"{ a }"}'],
    ['a cut body', '/api', '{"query'],
    ['no JSON', '/api', 'query { a }'],
    ['a list of numbers', '/api', '[[1,2],{"query":"{ a }"}]'],
  ])('%s', (_, path, body) => expect(post(path, body)).toBeUndefined())

  it('a page about it', () => {
    expect(get('/graphql')).toBeUndefined()
    expect(get('/docs/graphql-intro?query=x')).toBeUndefined()
    expect(get('/search?query=graphql')).toBeUndefined()
  })
})
