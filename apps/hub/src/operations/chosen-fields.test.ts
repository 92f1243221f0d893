import { describe, expect, it } from 'vitest'
import { needsFullCalls, withBodiesFrom } from './call-fields.ts'
import { chosenFields } from './chosen-fields.ts'

const row = { id: 'a', src: { pod: 'web', ip: '10.0.0.1' }, list: [{ x: 1, y: 2 }], path: '/' }

describe('chosen fields', () => {
  it('are those that are named, inside objects and lists too', () => {
    expect(chosenFields([row], 'src.pod, list.x,path')).toEqual([
      { src: { pod: 'web' }, list: [{ x: 1 }], path: '/' },
    ])
    expect(chosenFields([row], 'src,src.pod')).toEqual([{ src: row.src }])
    expect(chosenFields([row], undefined)).toEqual([row])
    expect(chosenFields([row], ' , ')).toEqual([row])
    expect(chosenFields([{ ts: 5, path: '/' }], 'at', ['ts', 'path'])).toEqual([{ ts: 5 }])
  })

  it('that no row can have are refused with near names', () => {
    expect(() => chosenFields([row], 'pth', ['path', 'src'])).toThrow('No field is named "pth"')
    expect(() => chosenFields([row], 'a,'.repeat(41))).toThrow('max 40')
    expect(chosenFields([row], '__proto__,constructor')).toEqual([{}])
  })

  it('of calls say whether the full form is needed', () => {
    expect(needsFullCalls('src.pod,path,status')).toBe(false)
    for (const fields of ['request.headers', 'src.process', 'redis'])
      expect(needsFullCalls(fields)).toBe(true)
  })

  it('of a body begin at an offset', () => {
    const call = { request: { body: 'abcdef' }, response: { status: 200 } }
    expect(withBodiesFrom(call, 4)).toEqual({
      request: { body: 'ef', body_offset: 4 },
      response: { status: 200 },
    })
    expect(withBodiesFrom(call, 0)).toBe(call)
  })
})
