import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/message.ts'
import { readAnswer } from './answer.ts'
import { readOperations } from './document.ts'
import { summarize } from './present.ts'
import { readQuestion } from './question.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('the operations of a document', () => {
  it.each([
    ['{ a }', [{ type: 'query' }]],
    ['query { a }', [{ type: 'query' }]],
    [
      'mutation Add($x: In = {a: "}"}) @auth(role: "{") { add(x: $x) { id } }',
      [{ type: 'mutation', name: 'Add' }],
    ],
    ['fragment F on T { a { b } } subscription S { ...F }', [{ type: 'subscription', name: 'S' }]],
    [
      'query A { a(s: """ } """) } # query C {\nquery B { b }',
      [
        { type: 'query', name: 'A' },
        { type: 'query', name: 'B' },
      ],
    ],
    ['query A { never closed', [{ type: 'query', name: 'A' }]],
    ['type Query { a: Int }', []],
    ['', []],
  ])('%s', (document, expected) => expect(readOperations(document)).toEqual(expected))
})

describe('a question', () => {
  it('picks the operation that is asked for', () => {
    const query = 'query A { a } mutation B { b }'
    expect(readQuestion(JSON.stringify({ operationName: 'B', query }), [])).toMatchObject({
      operation_name: 'B',
      operation_type: 'mutation',
    })
    expect(readQuestion(JSON.stringify({ query }), [])).toMatchObject({
      operation_name: 'A',
      operation_type: 'query',
    })
  })

  it('is read as far as it goes', () => {
    expect(readQuestion('{"operationName":"B","query":"mutation B { b', [])).toMatchObject({
      operation_name: 'B',
      operation_type: 'mutation',
    })
    expect(readQuestion(undefined, [])).toEqual({})
    expect(readQuestion('null', [])).toEqual({})
  })
})

describe('an answer', () => {
  it('lists its errors', () => {
    expect(readAnswer('{"errors":[{"message":"a","extensions":{"code":"B"}},{"message":"c"}]}')).toEqual({
      errors: 2,
      error: 'a',
      error_code: 'B',
    })
    expect(readAnswer('[{"data":1},{"errors":[{"message":"second"}]}]')).toEqual({
      errors: 1,
      error: 'second',
    })
  })

  it('without errors is none', () => {
    for (const body of [
      '{"data":{"errors":[{"message":"mine"}]}}',
      '{"errors":[],"data":{}}',
      '{"errors":null}',
      'x "errors"',
    ])
      expect(readAnswer(body)).toEqual({})
  })

  it('that is cut still fails', () => {
    expect(readAnswer('{"errors":[{"message":"too \\"long\\"","path":["a"]}],"data":{"a')).toEqual({
      error: 'too "long"',
    })
  })

  it('makes the call a failure', () => {
    const response: Message = {
      kind: 'response',
      head: bytes('HTTP/1.1 200 OK\r\n\r\n'),
      body: bytes('{"errors":[{"message":"no"}]}'),
    }
    expect(summarize({ protocol: 'graphql', response })).toEqual({ status: 200, failure: 'no' })
  })
})
