import { execFile, execFileSync } from 'node:child_process'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { BpfFilter } from './bpf-filter.ts'
import { arbitraryExpression } from './testing/arbitrary-expression.ts'
import { arbitraryPacket, type BuiltPacket } from './testing/arbitrary-packet.ts'
import { runProgram } from './testing/run-program.ts'

const LINKS = [
  [1, 'EN10MB'],
  [113, 'LINUX_SLL'],
  [276, 'LINUX_SLL2'],
  [101, 'RAW'],
] as const
const packetsOf = (link: number) => fc.array(arbitraryPacket(link), { minLength: 8, maxLength: 8 })

function verdicts(text: string, link: number, packets: readonly BuiltPacket[]): boolean[] {
  const predicate = BpfFilter.parse(text).predicate(link)
  return packets.map(({ bytes, length }) => predicate(bytes, 0, bytes.length, length))
}

test.each([...LINKS.map(([link]) => link), 0, 108, 12, 228, 229, 147])(
  'a predicate and the program of the same expression agree on link layer %i',
  (link) => {
    const property = fc.property(arbitraryExpression(link), packetsOf(link), (text, packets) => {
      const program = BpfFilter.parse(text).program(link, 262_144)
      expect(verdicts(text, link, packets)).toEqual(packets.map((packet) => runProgram(program, packet) > 0))
    })
    fc.assert(property, { numRuns: 60 })
  },
)

test('a predicate looks only at its part of a buffer', () => {
  const property = fc.property(arbitraryExpression(1), arbitraryPacket(1), (text, { bytes, length }) => {
    const predicate = BpfFilter.parse(text).predicate(1)
    const surrounded = new Uint8Array(bytes.length + 64).fill(0x45)
    surrounded.set(bytes, 32)
    expect(predicate(surrounded, 32, 32 + bytes.length, length)).toBe(
      predicate(bytes, 0, bytes.length, length),
    )
  })
  fc.assert(property, { numRuns: 60 })
})

const run = promisify(execFile)

/** What libpcap makes of an expression, through `tcpdump -ddd`; not optimised, so that loads stay where they are. */
async function compiledByLibpcap(text: string, link: string): Promise<Uint8Array | undefined> {
  const { stdout } = await run('tcpdump', ['-O', '-ddd', '-y', link, text]).catch((error: Error) => {
    // It takes a division by a load at offset 0 for one by 0, and has few registers.
    if (/division by zero|modulus by zero|out of registers/.test(error.message)) return { stdout: '' }
    throw error
  })
  if (stdout === '') return undefined
  const [count, ...lines] = stdout.trim().split('\n')
  const bytes = new Uint8Array(Number(count) * 8)
  const view = new DataView(bytes.buffer)
  for (const [at, line] of lines.entries()) {
    const [code, yes, no, k] = line.split(' ').map(Number)
    view.setUint16(at * 8, code, true)
    view.setUint8(at * 8 + 2, yes)
    view.setUint8(at * 8 + 3, no)
    view.setUint32(at * 8 + 4, k, true)
  }
  return bytes
}

function noTcpdump(): string | undefined {
  try {
    execFileSync('tcpdump', ['-ddd', '-y', 'EN10MB', 'tcp'], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'no tcpdump here, which compiles with libpcap'
  }
}

const missing = noTcpdump()
describe.skipIf(missing)(`libpcap's verdicts are ours${missing ? ` (skipped: ${missing})` : ''}`, () => {
  test.each(LINKS)('on link layer %i', async (link, name) => {
    const property = fc.asyncProperty(
      arbitraryExpression(link, true),
      packetsOf(link),
      async (text, packets) => {
        const program = await compiledByLibpcap(text, name)
        fc.pre(program !== undefined)
        expect(verdicts(text, link, packets)).toEqual(
          packets.map((packet) => runProgram(program, packet) > 0),
        )
      },
    )
    await fc.assert(property, { numRuns: 15 })
  })
})
