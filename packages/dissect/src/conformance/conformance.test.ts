import { Conversation } from '@tapdeck/wire/testing'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Dissector } from '../contract/dissector.ts'
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

describe('a conforming protocol', () => {
  for (const { name, run } of suite(ident)) it(name, run)
})

describe('the suite finds', () => {
  // A deliberately broken protocol must not overwrite golden files.
  beforeEach(() => vi.stubEnv('UPDATE_GOLDEN', ''))

  /** Names of the checks that a protocol fails. */
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

  it('nothing in a conforming protocol', () => expect(failures(conversing({}))).toEqual([]))

  it('changed calls', () => {
    expect(failures({ ...ident, summarize: () => ({ method: 'WHO' }) })).toContain(
      'session: gives the calls of its golden file',
    )
  })

  it('frames that depend on packet boundaries', () => {
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

  it('a gap that loses the rest of a connection', () => {
    expect(failures(conversing({ resync: () => -1 }))).toEqual(['session: loses only neighbours in a gap'])
  })

  it('errors other than Malformed', () => {
    const clumsy = conversing({
      decode: ({ bytes, start }) => {
        if (bytes[start] > 0x39) throw new TypeError('what is this?')
        return undefined
      },
    })
    expect(failures(clumsy)).toContain('session: continues after cuts, damage and noise')
  })

  it('fields without a value', () => {
    const field = {
      type: 'string',
      path: 'ident.colour',
      doc: 'None',
      example: 'ident_colour == "red"',
    } as const
    expect(failures({ ...ident, fields: { ident_colour: field } })).toEqual(['has a value for every field'])
  })

  it('a protocol that does not detect its own traffic', () => {
    expect(failures({ ...ident, probe: () => 'no' })).toContain('detects its own traffic')
  })

  it('a range for redaction outside of its message', () => {
    const redact: Dissector['redact'] = { eachJsonInHead: (head, report) => report(0, head.length + 1) }
    expect(failures({ ...ident, redact })).toEqual(['reports what redaction can mask'])
  })

  it('values for redaction that the protocol cannot do without', () => {
    const redact: Dissector['redact'] = { eachJsonInHead: (head, report) => report(0, head.length) }
    expect(failures({ ...ident, redact })).toEqual(['reports what redaction can mask'])
  })

  it('header lines that redaction does not know of', () => {
    // A response has the ports before a colon.
    const present: Dissector['present'] = (exchange) => {
      const { own, response } = ident.present(exchange)
      return response === undefined ? {} : { response: { headers: { [`${own?.ports} `]: 'USERID' } } }
    }
    expect(failures({ ...ident, present })).toContain('reports what redaction can mask')
    expect(failures({ ...ident, present, redact: { hasHeaderLines: true } })).not.toContain(
      'reports what redaction can mask',
    )
  })

  it('a protocol that claims foreign traffic', () => {
    expect(failures({ ...ident, probe: () => 'yes' })).toContain('claims no traffic of other protocols')
  })
})
