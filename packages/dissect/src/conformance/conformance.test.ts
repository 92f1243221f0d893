import { Conversation } from '@tapdeck/wire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Dissector } from '../dissector.ts'
import { conformance } from './conformance.ts'
import { builtFixture } from './fixture.ts'
import { ident } from './ident/index.ts'

const captures = new URL('./ident/captures/', import.meta.url)

const session = new Conversation({ serverPort: 113 }).handshake()
for (let i = 0; i < 12; i++) {
  const ports = `${6000 + i}, 23`
  session
    .send(0, `${ports}\r\n`)
    .send(1, i % 4 === 3 ? `${ports} : ERROR : NO-USER\r\n` : `${ports} : USERID : UNIX : user${i}\r\n`)
}
session.close()

const fixtures = [builtFixture('session', captures, session.packets)]
const suite = (dissector: Dissector) => conformance(dissector, { captures, fixtures, protocols: [dissector] })

describe('a protocol that does all that is asked of it', () => {
  for (const { name, run } of suite(ident)) it(name, run)
})

describe('the suite finds', () => {
  // What is broken on purpose must not become the measure.
  beforeEach(() => vi.stubEnv('UPDATE_GOLDEN', ''))

  /** The checks that a protocol fails. */
  const failures = (dissector: Dissector) =>
    suite(dissector)
      .filter(({ run }) => {
        try {
          run()
          return false
        } catch {
          return true
        }
      })
      .map(({ name }) => name)

  const conversing = (change: Partial<ReturnType<Dissector['open']>>): Dissector => ({
    ...ident,
    open: (connection) => {
      const whole = ident.open(connection)
      return {
        frame: (bytes, start, end) => whole.frame(bytes, start, end),
        decode: (frame, side) => whole.decode(frame, side),
        resync: (bytes, start, end) => whole.resync(bytes, start, end),
        ...change,
      }
    },
  })

  it('nothing in a protocol that is whole', () => expect(failures(conversing({}))).toEqual([]))

  it('calls that changed', () => {
    expect(failures({ ...ident, summarize: () => ({ method: 'WHO' }) })).toContain(
      'session: gives the calls of its golden file',
    )
  })

  it('frames that depend on how packets were cut', () => {
    const greedy = conversing({ frame: (_, start, end) => end - start })
    expect(failures(greedy)).toContain('session: gives the same calls byte by byte')
  })

  it('views that outlive their frame', () => {
    const lazy = conversing({
      decode: ({ bytes, start, end }, side) => ({
        kind: side === 0 ? 'request' : 'response',
        head: bytes.subarray(start, end),
      }),
    })
    expect(failures(lazy)).toContain('session: gives the calls of its golden file')
  })

  it('a gap that costs the rest of a connection', () => {
    expect(failures(conversing({ resync: () => -1 }))).toEqual(['session: loses only neighbours in a gap'])
  })

  it('errors other than Malformed', () => {
    const clumsy = conversing({
      decode: ({ bytes, start }) => {
        if (bytes[start] > 0x39) throw new TypeError('what is this?')
        return undefined
      },
    })
    expect(failures(clumsy)).toContain('session: survives cuts, damage and noise')
  })

  it('fields that nothing fills', () => {
    const field = {
      type: 'string',
      path: 'ident.colour',
      doc: 'None',
      example: 'ident_colour == "red"',
    } as const
    expect(failures({ ...ident, fields: { ident_colour: field } })).toEqual([
      'gives every field a value somewhere',
    ])
  })

  it('a protocol that does not know itself', () => {
    expect(failures({ ...ident, probe: () => 'no' })).toContain('recognises its own traffic')
  })

  it('a protocol that takes what is not its own', () => {
    expect(failures({ ...ident, probe: () => 'yes' })).toContain('claims no traffic of other protocols')
  })
})
