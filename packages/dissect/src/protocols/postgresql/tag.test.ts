import { expect, it } from 'vitest'
import { packedFields } from '../../pack/shared-fields.ts'
import { type Tag, tagAt } from './tag.ts'

const tag = (text: string) => tagAt(Buffer.from(`x${text}`), 1, 1 + text.length)

it('reads tags, however many share a place', () => {
  for (let round = 0; round < 2; round++)
    for (let i = 0; i < 5000; i++) expect(tag(`SELECT ${i}`).text).toBe(`SELECT ${i}`)
})

it('says the same of the same answers, and packs them once they come again', () => {
  const said = () => tag('SELECT 3').fields(3, 'idle')
  const first = said()
  expect(first).toEqual({ tag: 'SELECT 3', rows: 3, transaction: 'idle' })
  expect(packedFields(first)).toBeUndefined()
  expect(said()).toEqual(first)
  expect(packedFields(said())).toBeDefined()
  expect(said()).toBe(said())
})

it('tells answers apart that have the same tag', () => {
  for (let round = 0; round < 3; round++) {
    const fields = (...said: Parameters<Tag['fields']>) => tag('FETCH 2').fields(...said)
    expect(fields(-1, undefined)).toEqual({ tag: 'FETCH 2' })
    expect(fields(2, undefined)).toEqual({ tag: 'FETCH 2', rows: 2 })
    expect(fields(1, undefined)).toEqual({ tag: 'FETCH 2', rows: 1 })
    for (const transaction of ['idle', 'open', 'failed'] as const) {
      expect(fields(-1, transaction)).toEqual({ tag: 'FETCH 2', transaction })
      expect(fields(2, transaction)).toEqual({ tag: 'FETCH 2', rows: 2, transaction })
    }
    expect(tag('BEGIN').fields(0, 'open')).toEqual({ tag: 'BEGIN', rows: 0, transaction: 'open' })
  }
})
