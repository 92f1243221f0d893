import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { type AddressesOf, type Party, partiesOf } from './parties.ts'
import { arbitraryCall, arbitraryFilter, sampleProtocols, seededRandom } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)
const inventory = [
  { pod: 'checkout-1', svc: 'checkout', ns: 'shop', node: 'n1', ip: '10.0.0.1' },
  { pod: 'checkout-2', svc: 'checkout', ns: 'shop', node: 'n2', ip: '10.0.0.2' },
  { pod: 'web-1', svc: 'web', ns: 'front', node: 'n1', ip: '10.0.1.1' },
]
const known: AddressesOf = (kind, passes) => inventory.filter((one) => passes(one[kind])).map(({ ip }) => ip)

const shown = (party: Party) => ('ip' in party ? party.ip : party.port)
const parties = (kfl: string, names: AddressesOf = known) =>
  partiesOf(compile(kfl, catalog), names).map((list) => list.map(shown))

test.each<[string, (string | number)[][]]>([
  ['', []],
  ['src.ip == 10.0.0.7', [['10.0.0.7']]],
  ['dst.ip in [10.0.0.7, "FE80::1"]', [['10.0.0.7', 'fe80::1']]],
  ['src.ip in 10.0.0.4/31', [['10.0.0.4', '10.0.0.5']]],
  ['src.ip in 10.0.0.0/8', []],
  ['dst.port == 5432', [[5432]]],
  ['dst.port in 80..82', [[80, 81, 82]]],
  ['dst.port > 1000', []],
  ['dst.port < 3', []],
  ['src.pod contains "checkout"', [['10.0.0.1', '10.0.0.2']]],
  ['src.pod == "unknown"', [[]]],
  ['dst.svc != "web"', []],
  ['dst.svc != "web" and has(dst.svc)', [['10.0.0.1', '10.0.0.2']]],
  ['src.node.name == "n1"', [['10.0.0.1', '10.0.1.1']]],
  ['src.name == "web"', []],
  ['not src.ip == 10.0.0.7', []],
  ['src.ip != 10.0.0.7', []],
  ['src.ip == 10.0.0.7 and dst.port == 80', [['10.0.0.7'], [80]]],
  ['src.ip == 10.0.0.7 and path contains "x"', [['10.0.0.7']]],
  ['src.ip == 10.0.0.7 or path contains "x"', []],
  ['src.ip == 10.0.0.7 or dst.ip == 10.0.0.7', [['10.0.0.7']]],
  ['src.ns == "shop" or dst.ns == "front"', [['10.0.0.1', '10.0.0.2', '10.0.1.1']]],
  ['"checkout-1" in pods', [['10.0.0.1']]],
  ['src.ip == 10.0.0.7 and false', [[], ['10.0.0.7']]],
  ['(http ? src.ip == 10.0.0.7 : src.ip == 10.0.0.8)', [['10.0.0.7', '10.0.0.8']]],
])('%s', (kfl, expected) => {
  expect(parties(kfl)).toEqual(expected)
})

test('names that are not known restrict nothing', () => {
  expect(parties('src.pod == "checkout-1" and dst.port == 80', () => undefined)).toEqual([[80]])
})

test('a filter that lists thousands of parties restricts nothing', () => {
  const many = Array.from({ length: 5000 }, (_, at) => `10.1.${at >> 8}.${at & 255}`)
  expect(parties('src.pod contains "a"', () => many)).toEqual([])
})

test('every call that a filter matches has one of each list', () => {
  // Some generated calls have ports that no packet can have; a filter for those correctly gives no party.
  const isReal = ({ src, dst }: Ends) => src.port < 65_536 && dst.port < 65_536
  const made = Array.from({ length: 90 }, (_, seed) => arbitraryCall(seededRandom(seed))) as Ends[]
  const calls = made.filter(isReal)
  const ofCalls: AddressesOf = (kind, passes) =>
    calls
      .flatMap(({ src, dst }) => [src, dst])
      .filter((end) => kind !== 'node' && end[kind] !== undefined && passes(end[kind]))
      .map(({ ip }) => ip)
  let restricted = 0
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 0x7fffffff }), (seed) => {
      const filter = compile(arbitraryFilter(seededRandom(seed)).words, catalog)
      const lists = partiesOf(filter, ofCalls)
      if (lists.length > 0) restricted++
      for (const call of calls) {
        if (!filter.matches(call)) continue
        const present = new Set<string | number>([call.src, call.dst].flatMap(({ ip, port }) => [ip, port]))
        for (const list of lists)
          expect({
            kfl: filter.text,
            call,
            hit: list.some((party) => present.has(shown(party))),
          }).toMatchObject({
            hit: true,
          })
      }
    }),
    { numRuns: 400 },
  )
  expect(restricted).toBeGreaterThan(20)
})

interface Ends {
  readonly src: End
  readonly dst: End
}

interface End {
  readonly ip: string
  readonly port: number
  readonly pod?: string
  readonly svc?: string
  readonly ns?: string
}
