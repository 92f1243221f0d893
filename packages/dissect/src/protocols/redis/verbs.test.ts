import { expect, it } from 'vitest'
import { AFTER_STREAMS, verbAt } from './verbs.ts'

const verb = (text: string) => {
  const bytes = Buffer.from(`xx${text}yy`, 'latin1')
  return verbAt(bytes, 2, 2 + text.length)
}

it('knows a verb in any case, and where its key is', () => {
  for (let round = 0; round < 2; round++) {
    expect(['get', 'GET', 'Get'].map((text) => verb(text).name)).toEqual(['GET', 'GET', 'GET'])
    expect(verb('get')).toMatchObject({ name: 'GET', key: 1, countsItsKeys: false })
    expect(verb('ping').key).toBe(0)
    expect(verb('xread').key).toBe(AFTER_STREAMS)
    expect(verb('evalsha')).toMatchObject({ name: 'EVALSHA', key: 3, countsItsKeys: true })
  }
})

it('tells verbs apart, however many share a place', () => {
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 5000; i++) expect(verb(`module.v${i}`).name).toBe(`MODULE.V${i}`)
})

it('takes what is no verb as it is', () => {
  for (let round = 0; round < 2; round++) {
    expect(verb('').name).toBe('')
    expect(verb('\xe9t\xff\xdf').name).toBe('\xe9t\xff\xdf'.toUpperCase())
    expect(verb('@`[{').name).toBe('@`[{')
    expect(verb('x'.repeat(64)).name).toBe('X'.repeat(64))
  }
})

it('tells short verbs apart, also those that only zeros tell apart', () => {
  const letters = ['a', 'b', 'Z', '.', '\0']
  const texts = letters.flatMap((one) =>
    letters.flatMap((two) => [one, `${one}${two}`, `${two}a${one}b${two}ab`]),
  )
  for (let round = 0; round < 2; round++)
    for (const text of texts) expect(verb(text).name).toBe(text.toUpperCase())
})
