import { describe, expect, it } from 'vitest'
import { createRedactor } from './create-redactor.ts'
import type { RedactionRules } from './redaction-rules.ts'
import { none } from './testing/no-rules.ts'

describe('a call as it is shown to a role', () => {
  const shown = (rules: Partial<RedactionRules>, call: object) =>
    createRedactor({ ...none, ...rules })!.presented(call)

  it('has its headers, query, cookies and bodies redacted', () => {
    const call = {
      proto: 'http',
      path: '/sk_a',
      request: {
        headers: { Cookie: 'a=b', host: 'h' },
        cookies: { a: 'b' },
        query: { token: 't' },
        body: '{"p":"q"}',
      },
      req_body: '{"p":"q"}',
    }
    expect(
      shown({ headers: ['cookie'], query: ['token'], json: ['p'], patterns: ['sk_[a-z]+'] }, call),
    ).toEqual({
      proto: 'http',
      path: '/****',
      request: {
        headers: { Cookie: '***', host: 'h' },
        cookies: { a: '*' },
        query: { token: '*' },
        body: '{"p":"*"}',
      },
      req_body: '{"p":"*"}',
    })
    expect(shown({ bodies: true }, call)).toEqual({
      ...call,
      request: { ...call.request, body: undefined },
      req_body: undefined,
    })
  })

  it('has a body redacted wherever it is shown again, and inside base64', () => {
    const body = '{"p":"q"}'
    const call = { proto: 'websocket', request: { body }, websocket: { payload: body, opcode: 'text' } }
    expect(shown({ json: ['p'] }, call)).toEqual({
      proto: 'websocket',
      request: { body: '{"p":"*"}' },
      websocket: { payload: '{"p":"*"}', opcode: 'text' },
    })
    expect(shown({ bodies: true }, call)).toEqual({
      proto: 'websocket',
      request: {},
      websocket: { opcode: 'text' },
    })
    const base64 = (text: string) => Buffer.from(text, 'latin1').toString('base64')
    const packed = { body: base64('\0sk_a\x80'), body_encoding: 'base64' }
    expect(shown({ patterns: ['sk_[a-z]+'] }, { request: packed, req_body: packed.body })).toEqual({
      request: { ...packed, body: base64('\0****\x80') },
      req_body: base64('\0****\x80'),
    })
  })

  it('has a value that is JSON redacted wherever it is shown', () => {
    const redis = { proto: 'redis', redis: { key: 'a', args: ['a', '{"password":"abc"}'] } }
    expect(shown({ json: ['password'] }, redis)).toEqual({
      proto: 'redis',
      redis: { key: 'a', args: ['a', '{"password":"***"}'] },
    })
  })

  it('has no body where a protocol shows it taken apart', () => {
    const redis = { proto: 'redis', path: 'cart', redis: { key: 'cart', args: ['cart', 'secret'] } }
    expect(shown({ bodies: true }, redis)).toEqual({ ...redis, redis: { key: 'cart' } })
    const graphql = {
      proto: 'graphql',
      request: { query: { page: '2' } },
      graphql: { operation_name: 'Login', query: 'mutation Login { … }', variables: { password: 'x' } },
    }
    expect(shown({ bodies: true }, graphql)).toEqual({ ...graphql, graphql: { operation_name: 'Login' } })
  })

  it('keeps its id, its peers and its status where literals of SQL are redacted', () => {
    const call = {
      proto: 'postgresql',
      id: 'node-1/4711/0',
      src: { ip: '10.0.0.1', pod: 'web-7d9f8b6c5-abcde' },
      status: '42P01',
      path: 'select 1',
      response: { status: '42P01' },
    }
    expect(shown({ sqlLiterals: true }, call)).toEqual({ ...call, path: 'select *' })
    const flow = { id: 'node-1/4111111111111111/0', path: '/4111111111111111' }
    expect(shown({ detect: ['card'] }, flow)).toEqual({ ...flow, path: '/****************' })
  })

  it('has the literals of its statement redacted', () => {
    const call = {
      proto: 'mysql',
      path: 'select "x"',
      request: { parameters: ['y'] },
      mysql: { statement: "select 'x'" },
    }
    expect(shown({ sqlLiterals: true }, call)).toEqual({
      proto: 'mysql',
      path: 'select "*"',
      request: {},
      mysql: { statement: "select '*'" },
    })
  })
})
