import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fitAnswer, MIN_MAX_CHARS } from './fit-answer.ts'

const row = (id: number, text = 'x'.repeat(200)) => ({ id: `node/${id}/0`, path: text })
const lengthOf = (value: unknown) => JSON.stringify(value).length

describe('an answer to an assistant', () => {
  it('stays as it is where it fits', () => {
    const answer = { calls: [row(1), row(2)], truncated: false, next_cursor: null }
    expect(fitAnswer(answer, 16_000)).toEqual(answer)
  })

  it('loses rows at the end before it loses fields, and says how to get them', () => {
    const calls = Array.from({ length: 1000 }, (_, id) => row(id))
    const fitted = fitAnswer({ calls, truncated: false, next_cursor: 'abc' }, 5000)
    const kept = fitted.calls as ReturnType<typeof row>[]
    expect(lengthOf(fitted)).toBeLessThanOrEqual(5000)
    expect(kept.length).toBeGreaterThan(10)
    expect(kept).toEqual(calls.slice(0, kept.length))
    expect(fitted).toMatchObject({ truncated: true, next_cursor: null })
    expect(fitted.left_out).toMatchObject({ parts: [`calls: ${kept.length} of 1000 rows`] })
    expect(JSON.stringify(fitted.left_out)).toContain(`limit=${kept.length}`)
  })

  it('has each header and body once', () => {
    const call = {
      request: { headers: { host: 'a' }, body: 'question' },
      response: { headers: {}, body: 'answer' },
      req_headers: { host: 'a' },
      resp_headers: {},
      req_body: 'question',
      resp_body: 'answer',
    }
    const { request, response } = call
    expect(fitAnswer(call, 16_000)).toEqual({ request, response })
  })

  it('has no binary body', () => {
    const body = Buffer.alloc(3000, 1).toString('base64')
    const fitted = fitAnswer({ response: { body, body_encoding: 'base64' } }, 16_000)
    expect(fitted.response).toEqual({ body_encoding: 'base64' })
    expect(fitted.left_out).toMatchObject({ parts: ['response.body: 0 of 3000 bytes'] })
  })

  it('has excerpts of long texts, but whole ids and cursors', () => {
    const id = 'i'.repeat(500)
    const fitted = fitAnswer({ id, response: { body: 'x'.repeat(60_000) } }, 3000)
    expect(fitted.id).toBe(id)
    expect(lengthOf(fitted)).toBeLessThanOrEqual(3000)
    expect(fitted.left_out).toMatchObject({
      parts: [expect.stringMatching(/^response\.body: \d+ of 60000 characters$/)],
    })
  })

  it('does not report parts of rows that are not there', () => {
    const calls = Array.from({ length: 50 }, (_, id) => row(id, 'y'.repeat(9000)))
    const { parts } = fitAnswer({ calls }, 12_000).left_out as unknown as { parts: string[] }
    const rows = Number(/(\d+) of 50 rows/.exec(parts.join())?.[1])
    for (const part of parts) expect(Number(/^calls\[(\d+)\]/.exec(part)?.[1] ?? 0)).toBeLessThan(rows)
  })

  it('fits whatever it holds, if its fields alone do', () => {
    const text = fc.string({ maxLength: 3000 })
    const rows = fc.array(fc.record({ a: text, b: fc.array(text, { maxLength: 3 }) }), { maxLength: 40 })
    fc.assert(
      fc.property(
        fc.record({ rows, more: rows, body: text }),
        fc.integer({ min: 4000, max: 20_000 }),
        (answer, max) => {
          expect(lengthOf(fitAnswer(answer, max))).toBeLessThanOrEqual(max)
        },
      ),
      { numRuns: 50 },
    )
    expect(MIN_MAX_CHARS).toBeLessThan(4000)
  })
})
