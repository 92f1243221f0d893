import { describe, expect, it } from 'vitest'
import { redactionChanges } from './redaction-changes.ts'

const none = {
  headers: [],
  query: [],
  json: [],
  sqlLiterals: false,
  detect: [],
  patterns: [],
  bodies: false,
} as const
const call = {
  id: 'n1/1/0',
  proto: 'http',
  path: '/pay?token=abc',
  request: {
    headers: { authorization: 'Bearer abc', host: 'shop' },
    query: { token: 'abc' },
    body: '{"card":"4111111111111111","user":{"password":"hush"}}',
  },
}

describe('the changes that rules make in a call', () => {
  it('are listed by field and by the rule that makes them', async () => {
    const rules = { ...none, headers: ['Authorization', 'cookie'], query: ['token'], json: ['user.password'] }
    const { rules: tried, changes, truncated } = await redactionChanges(call, rules)
    expect([tried, truncated]).toEqual([4, false])
    expect(changes.map(({ field, rule }) => `${rule} → ${field}`)).toEqual([
      'headers: Authorization → request.headers.authorization',
      'query: token → path',
      'query: token → request.query.token',
      'json: user.password → request.body',
    ])
    expect(changes[0]).toMatchObject({ before: 'Bearer abc', after: '**********' })
    expect(changes[3]!.after).toContain('"password":"****"')
  })

  it('name a field that is left out', async () => {
    const { changes } = await redactionChanges(call, { ...none, bodies: true, detect: ['card'] })
    expect(changes).toMatchObject([
      { rule: 'detect: card', field: 'request.body' },
      { rule: 'bodies', field: 'request.body', after: null },
    ])
  })

  it('are bounded, and a wrong rule is reported', async () => {
    const many = { ...call, list: Array.from({ length: 900 }, () => 'abc') }
    expect(await redactionChanges(many, { ...none, patterns: ['abc'] })).toMatchObject({ truncated: true })
    await expect(redactionChanges(many, { ...none, patterns: ['abc', '('] })).rejects.toThrow('is no pattern')
  })
  it('are not looked for with a pattern that would keep the hub busy', async () => {
    const long = { id: 'n1/1/0', proto: 'http', request: { body: 'xy'.repeat(32_000) } }
    for (const pattern of ['[^a]{900}', '(?:[^a]?){900}'])
      await expect(redactionChanges(long, { ...none, patterns: [pattern] })).rejects.toThrow('too much work')
    const { changes } = await redactionChanges(long, { ...none, patterns: ['[x-z]+', '\\bxy\\w{3,20}'] })
    expect(changes.map(({ field }) => field)).toEqual(['request.body', 'request.body'])
  })
})
