import { execFileSync } from 'node:child_process'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { finished } from 'node:stream/promises'
import { BpfFilter } from '@tapdeck/bpf'
import type { Inventory } from '@tapdeck/inventory'
import { PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import type { PacketWish } from '../apps/hub/src/export/packet-choice.ts'
import { type CapturedNode, snapshotCapture } from '../apps/hub/src/export/snapshot-capture.ts'

/**
 * What the export of a snapshot costs, to /dev/null, next to Wireshark's own tools doing the same with the same files.
 * The median of several rounds; the machine's noise is in all of them.
 */
const MIB = 1 << 20
const SIZE = 256 * MIB
const ROUNDS = 3

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
const nodes = ['a', 'b'].map((node, at) => ({ node, path: join(folder, `${node}.pcapng`), offset: at * 37 }))

async function fill(path: string, offset: number): Promise<void> {
  const file = createWriteStream(path)
  const writer = new PcapngWriter()
  writer.section()
  writer.interface({ link: 1, name: 'eth0', snaplen: 262_144 })
  let time = 1_700_000_000_000_000 + offset
  for (let written = 0, round = 0; written < SIZE; round++) {
    const talk = new Conversation({
      client: `10.1.${(round >> 8) & 255}.${round & 255}`,
      start: time,
      step: 90,
    })
    talk.handshake()
    for (let call = 0; call < 20; call++) talk.send(0, new Uint8Array(200)).send(1, new Uint8Array(4000))
    for (const { data, time: at } of talk.close().packets)
      writer.packet(0, at, data, 0, data.length, data.length)
    time = talk.time
    const piece = writer.take()
    written += piece.length
    if (!file.write(piece)) await new Promise<void>((resolve) => file.once('drain', resolve))
  }
  file.end()
  await finished(file)
}

async function* chunks(path: string): AsyncGenerator<Uint8Array> {
  const file = await open(path)
  try {
    for (let at = 0; ; ) {
      const { buffer, bytesRead } = await file.read(Buffer.allocUnsafeSlow(MIB), 0, MIB, at)
      if (bytesRead === 0) return
      at += bytesRead
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await file.close()
  }
}

interface Figures {
  readonly seconds: number
  readonly cpu: number
  readonly first: number
}

async function ours(
  count: number,
  wish: PacketWish,
  format: 'pcapng' | 'pcap',
  names: Inventory,
): Promise<Figures> {
  const captured: CapturedNode[] = nodes.slice(0, count).map(({ node, path }) => ({
    node,
    path,
    size_bytes: statSync(path).size,
    read: () => chunks(path),
  }))
  const sink = await open('/dev/null', 'w')
  const [began, cpu] = [performance.now(), process.cpuUsage()]
  let first = 0
  for await (const piece of (await snapshotCapture(captured, wish, format, names)).pieces()) {
    if (first === 0) first = performance.now() - began
    await sink.write(piece)
  }
  const { user, system } = process.cpuUsage(cpu)
  await sink.close()
  return { seconds: (performance.now() - began) / 1000, cpu: (user + system) / 1e6, first }
}

/** Their processor time counts as that of a child of ours. */
function theirs(command: string, ...args: string[]): Figures | undefined {
  const before = childCpu()
  const began = performance.now()
  try {
    execFileSync(command, args, { stdio: 'ignore' })
  } catch {
    return undefined
  }
  return { seconds: (performance.now() - began) / 1000, cpu: childCpu() - before, first: Number.NaN }
}

/** cutime and cstime of proc(5), in hundredths of a second. */
function childCpu(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

const nobody: Inventory = { pods: [], services: [] }
const named: Inventory = {
  pods: Array.from({ length: 2000 }, (_, at) => ({
    name: `p${at}`,
    namespace: 'n',
    ips: [`10.1.${at >> 8}.${at & 255}`],
  })),
  services: [{ name: 'api', namespace: 'n', ips: ['10.0.0.2'] }],
}
const bpf = BpfFilter.parse('tcp port 80 and net 10.1.0.0/18')

const cases: readonly (readonly [string, number, () => Promise<Figures | undefined>])[] = [
  ['one node as it lies', 1, () => ours(1, {}, 'pcapng', nobody)],
  ['one node with names and comments', 1, () => ours(1, {}, 'pcapng', named)],
  ['one node as pcap', 1, () => ours(1, {}, 'pcap', nobody)],
  ['editcap, one file', 1, async () => theirs('editcap', nodes[0]!.path, '/dev/null')],
  ['one node, a BPF expression', 1, () => ours(1, { bpf }, 'pcapng', nobody)],
  [
    'tcpdump -r -w, the same expression',
    1,
    async () => theirs('tcpdump', '-r', nodes[0]!.path, '-w', '/dev/null', bpf.text),
  ],
  ['two nodes merged', 2, () => ours(2, {}, 'pcapng', nobody)],
  ['two nodes merged, names and comments', 2, () => ours(2, {}, 'pcapng', named)],
  [
    'mergecap, two files',
    2,
    async () => theirs('mergecap', '-w', '/dev/null', nodes[0]!.path, nodes[1]!.path),
  ],
]

try {
  for (const { path, offset } of nodes) await fill(path, offset)
  for (const [name, count, run] of cases) {
    const rounds: Figures[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const figures = await run()
      if (figures) rounds.push(figures)
    }
    if (rounds.length === 0) {
      console.log(`${name.padEnd(38)} not installed here`)
      continue
    }
    const { seconds, cpu, first } = rounds.sort((a, b) => a.seconds - b.seconds)[rounds.length >> 1]!
    const bytes = nodes.slice(0, count).reduce((sum, { path }) => sum + statSync(path).size, 0)
    const early = Number.isNaN(first) ? '' : `, first byte after ${first.toFixed(1)} ms`
    const more = `  ${cpu.toFixed(2)} s of processor${early}`
    console.log(`${name.padEnd(38)} ${(bytes / 1e6 / seconds).toFixed(0).padStart(6)} MB/s${more}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}
