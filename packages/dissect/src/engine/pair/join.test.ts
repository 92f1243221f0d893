import { describe, expect, it } from 'vitest'
import { join } from './join.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('joined parts', () => {
  it('have the first head, all bodies and the last value of each field', () => {
    const joined = join(
      {
        kind: 'response',
        head: bytes('h'),
        body: bytes('ab'),
        fields: { a: 1, b: 1 },
        more: true,
        start: 1,
        end: 2,
        size: 10,
      },
      {
        kind: 'response',
        head: bytes('ignored'),
        body: bytes('cd'),
        fields: { b: 2 },
        start: 3,
        end: 4,
        size: 5,
      },
      100,
    )
    expect(joined).toEqual({
      kind: 'response',
      head: bytes('h'),
      body: bytes('abcd'),
      fields: { a: 1, b: 2 },
      start: 1,
      end: 4,
      size: 15,
    })
  })

  it('keep their true size if not all is kept', () => {
    const joined = join({ kind: 'response', body: bytes('ab') }, { kind: 'response', body: bytes('cdef') }, 3)
    expect(joined).toMatchObject({ body: bytes('abc'), bodySize: 6, truncated: true })
  })

  it('keep nothing after a hole', () => {
    const joined = join(
      { kind: 'response', body: bytes('ab'), bodySize: 9, truncated: true },
      { kind: 'response', body: bytes('cd') },
      100,
    )
    expect(joined).toMatchObject({ body: bytes('ab'), bodySize: 11, truncated: true })
  })
})
