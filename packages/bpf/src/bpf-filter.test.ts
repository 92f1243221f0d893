import { describe, expect, test } from 'vitest'
import { BpfError } from './bpf-error.ts'
import { BpfFilter } from './bpf-filter.ts'
import { FilterProgram } from './filter-program.ts'
import { runProgram } from './testing/run-program.ts'

const header4 = [0x45, 0, 0, 40, 0, 0, 0, 0, 64, 6, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]
const tcp = [0x9c, 0x40, 0, 80, 0, 0, 0, 1, 0, 0, 0, 0, 0x50, 0x02, 0, 0, 0, 0, 0, 0]
const stations = [2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]
const syn = Uint8Array.from([...stations, 8, 0, ...header4, ...tcp])
const tagged = Uint8Array.from([...stations, 0x81, 0, 0, 5, 8, 0, ...header4, ...tcp])

const matches = (text: string, bytes = syn, link = 1) =>
  BpfFilter.parse(text).matches(bytes, 0, bytes.length, bytes.length, link)

test.each([
  ['', true],
  ['tcp port 80', true],
  ['port 81 or 80', true],
  ['port http', true],
  ['src port 80', false],
  ['dst port 80 and src host 10.0.0.1', true],
  ['tcp[tcpflags] & (tcp-syn|tcp-fin) != 0', true],
  ['tcp[tcpflags] & tcp-ack != 0', false],
  ['net 10.0.0.0/8 and not host 10.0.0.3', true],
  ['src net 10 and dst net 10.0', true],
  ['udp or tcp and udp', false],
  ['udp or (tcp and not udp)', true],
  ['ether src 02:00:00:00:00:01', true],
  ['ip proto tcp', true],
  ['less 54', true],
  ['greater 55', false],
  ['len - 4 = 50', true],
  ['ip[2:2] = 40 and (ip[0] & 0xf) * 4 = 20', true],
  ['portrange 70-90', true],
  ['vlan', false],
])('"%s" on a SYN to port 80: %s', (text, expected) => {
  expect(matches(text)).toBe(expected)
})

test('vlan shifts what stands after it, and nothing before it', () => {
  expect(matches('vlan 5 and tcp port 80', tagged)).toBe(true)
  expect(matches('vlan and ip host 10.0.0.1', tagged)).toBe(true)
  expect(matches('tcp port 80 and vlan 5', tagged)).toBe(false)
  expect(matches('vlan 6 and tcp port 80', tagged)).toBe(false)
})

test.each([
  ['prot 80', { position: 0, length: 4, suggestion: 'port' }],
  ['port 80 and tpc', { position: 12, length: 3, suggestion: 'tcp' }],
  ['10.0.0.1', { position: 0, length: 8, suggestion: 'host 10.0.0.1' }],
  ['tcp and 80', { position: 8, length: 2, suggestion: 'port 80' }],
  ['host example.com', { position: 5, length: 11 }],
  ['host 10.0.0.0/8', { position: 5, length: 10, suggestion: 'net 10.0.0.0/8' }],
  ['net 10.1.0.0/8', { position: 4, length: 10, suggestion: '10.0.0.0/8' }],
  ['port 70000', { position: 5, length: 5, expected: ['0 to 65535'] }],
  ['port 80-90', { position: 5, length: 5, suggestion: 'portrange 80-90' }],
  ['port htpp', { position: 5, length: 4, suggestion: 'http' }],
  ['ip port 80', { position: 8, length: 2, suggestion: 'ip and port 80' }],
  ['tcp host 10.0.0.1', { position: 9, length: 8, suggestion: 'tcp and host 10.0.0.1' }],
  ['ip host fd00::1', { position: 8, length: 7, expected: ['ip6'] }],
  ['ip[0:3] = 1', { position: 5, length: 1, expected: ['1', '2', '4'] }],
  ['ip[0] / 0 = 1', { position: 6, length: 1 }],
  ['ip[0] << 32 = 1', { position: 6, length: 2 }],
  ['tcp[tcpflag] = 1', { position: 4, length: 7, suggestion: 'tcpflags' }],
  ['(tcp', { position: 0, length: 1, expected: [')'] }],
  ['tcp)', { position: 3, length: 1, expected: ['and', 'or'] }],
  ['tcp and', { position: 7, length: 1 }],
  ['gateway 10.0.0.1', { position: 0, length: 7 }],
  ['vlan 5000', { position: 5, length: 4 }],
  ['ether', { position: 5, length: 1 }],
  ['port 80 port 81', { position: 8, length: 4, expected: ['and', 'or'] }],
  ['tcp prt 80', { position: 4, length: 3, suggestion: 'port' }],
  ['tcp # x', { position: 4, length: 1 }],
  ['len > 99999999999', { position: 6, length: 11 }],
  ['ether host 10.0.0.1', { position: 11, length: 8 }],
])('"%s" is refused at its place', (text, place) => {
  const refused = () => BpfFilter.parse(text)
  expect(refused).toThrow(BpfError)
  expect(refused).toThrow(expect.objectContaining(place))
})

test('what is long or deep beyond reason is refused, not suffered', () => {
  for (const text of [
    '('.repeat(4000),
    'ip['.repeat(2000),
    `${'('.repeat(500)}ip${')'.repeat(500)}`,
    'x'.repeat(9000),
  ])
    expect(() => BpfFilter.parse(text)).toThrow(BpfError)
  expect(matches(`${'!'.repeat(8000)}tcp`)).toBe(true)
})

describe('programs', () => {
  test('jump as far as they must', () => {
    const ports = Array.from({ length: 60 }, (_, at) => 1000 + at).join(' or ')
    const text = `port ${ports} or 80`
    const program = BpfFilter.parse(text).program(1, 96)
    expect(program.length / 8).toBeGreaterThan(600)
    expect(runProgram(program, { bytes: syn })).toBe(96)
    const other = syn.slice()
    other[37] = 81
    expect(runProgram(program, { bytes: other })).toBe(0)
  })

  test('use all 16 cells of the kernel for arithmetic, and are refused where they need one more', () => {
    const sum = (lengths: number, first = 'len') =>
      BpfFilter.parse(`${first}${' + len'.repeat(lengths)} > 1`).program(1, 96)
    expect(runProgram(sum(16), { bytes: syn })).toBe(96)
    expect(() => sum(17)).toThrow('16 cells')
    // A place that is computed takes a cell more.
    expect(runProgram(sum(15, 'tcp[len - 54]'), { bytes: syn })).toBe(96)
    expect(() => sum(16, 'tcp[len - 54]')).toThrow('16 cells')
  })

  test('too long for the kernel are refused', () => {
    const ports = Array.from({ length: 500 }, (_, at) => 1000 + at).join(' or ')
    expect(() => BpfFilter.parse(`port ${ports}`).program(1, 96)).toThrow(/4096/)
  })

  test('in the kernel find a VLAN tag in the frame or beside it', () => {
    const filter = BpfFilter.parse('vlan 5 and tcp port 80')
    const program = new FilterProgram()
    filter.emitEthernet(program, 'accept', 'reject')
    const bytes = program.label('accept').accept(1).label('reject').accept(0).assemble()
    const kept = (frame: Uint8Array, present: number, tci: number) => {
      const ancillary = new Map([
        [0xfffff02c, tci],
        [0xfffff030, present],
      ])
      return runProgram(bytes, { bytes: frame, ancillary })
    }
    expect(kept(tagged, 0, 0)).toBe(1)
    expect(kept(syn, 1, 0x2005)).toBe(1)
    expect(kept(syn, 1, 6)).toBe(0)
    expect(kept(syn, 0, 0)).toBe(0)
  })

  test('in the kernel find the network header behind any link layer', () => {
    const program = new FilterProgram()
    BpfFilter.parse('dst port 80').emitNetwork(program, 'accept', 'reject')
    const bytes = program.label('accept').accept(1).label('reject').accept(0).assemble()
    expect(runProgram(bytes, { bytes: syn, network: 14 })).toBe(1)
    expect(runProgram(bytes, { bytes: syn.subarray(14), network: 0 })).toBe(1)
  })
})
