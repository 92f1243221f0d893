import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { BpfFilter } from '@tapdeck/bpf'
import type { Inventory } from '@tapdeck/inventory'
import { PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { startHub } from '../apps/hub/src/testing/start-hub.ts'

/**
 * What the export of a snapshot costs: the hub answers over HTTP to a client in another process that throws it away, next to
 * Wireshark's own tools writing the same files to /dev/null. Ours and theirs in turns; the median of several rounds.
 * Processor time is that of the hub, without the client.
 */
const MIB = 1 << 20
const SIZE = 256 * MIB
const ROUNDS = 5
const START = 1_700_000_000_000_000
const BPF = BpfFilter.parse('tcp port 80 and net 10.1.0.0/18').text

const run = promisify(execFile)
const noNames: Inventory = { pods: [], services: [] }
const named: Inventory = {
  pods: Array.from({ length: 2000 }, (_, at) => ({
    name: `p${at}`,
    namespace: 'n',
    ips: [`10.1.${at >> 8}.${at & 255}`],
  })),
  services: [{ name: 'api', namespace: 'n', ips: ['10.0.0.2'] }],
}

const CURL = [
  '-s',
  '-o',
  '/dev/null',
  '-w',
  '{"status":%{http_code},"first":%{time_starttransfer},"seconds":%{time_total}}',
]
/** Discards the response and measures the time; used without curl, which has less overhead. */
const CLIENT = `
import { get } from 'node:http'
const began = performance.now()
const passed = () => (performance.now() - began) / 1000
get(process.argv[1], (response) => {
  let first
  response.on('data', () => (first ??= passed()))
  response.on('end', () => console.log(JSON.stringify({ status: response.statusCode, first, seconds: passed() })))
})
`

const hub = await startHub()
try {
  await hub.open()
  for (const [name, inventory] of [
    ['plain', noNames],
    ['named', named],
  ] as const) {
    hub.services.directory.set('bench', inventory)
    const taken = ['a', 'b'].map((node, at) => ({
      node,
      packet_count: 0,
      dropped_packets: 0,
      bytes: packets(at * 37),
    }))
    await hub.services.snapshots.keep(
      name,
      { start: START / 1000, end: START / 1000 + 1, partial: false },
      taken,
    )
  }
  const [a, b] = hub.services.snapshots.captures('plain').map(({ paths, size_bytes }) => ({
    path: paths[0]!,
    size: size_bytes,
  }))
  const bpf = `bpf_filter=${encodeURIComponent(BPF)}`
  const cases: readonly Case[] = [
    ['one node as it lies', 1, () => ours('plain', 'nodes=a')],
    ['one node with names and comments', 1, () => ours('named', 'nodes=a')],
    ['one node as pcap', 1, () => ours('plain', 'nodes=a&format=pcap')],
    ['editcap, one file', 1, () => theirs('editcap', a!.path, '/dev/null')],
    ['one node, a BPF expression', 1, () => ours('plain', `nodes=a&${bpf}`)],
    ['tcpdump -r -w, the same expression', 1, () => theirs('tcpdump', '-r', a!.path, '-w', '/dev/null', BPF)],
    ['two nodes merged', 2, () => ours('plain', '')],
    ['two nodes merged, names and comments', 2, () => ours('named', '')],
    ['mergecap, two files', 2, () => theirs('mergecap', '-w', '/dev/null', a!.path, b!.path)],
  ]
  const figures = cases.map((): Figures[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [at, [, , measure]] of cases.entries()) {
      const found = await measure()
      if (found) figures[at]!.push(found)
    }
  for (const [at, [name, count]] of cases.entries())
    tell(name, count === 1 ? a!.size : a!.size + b!.size, figures[at]!)
} finally {
  await hub.stop()
}

type Case = readonly [name: string, nodes: number, measure: () => Promise<Figures | undefined>]

interface Figures {
  readonly seconds: number
  readonly cpu: number
  /** Milliseconds. */
  readonly first?: number
}

async function* packets(offset: number): AsyncGenerator<Uint8Array> {
  const writer = new PcapngWriter()
  writer.section()
  writer.interface({ link: 1, name: 'eth0', snaplen: 262_144 })
  let time = START + offset
  for (let written = 0, round = 0; written < SIZE; round++) {
    const client = `10.1.${(round >> 8) & 255}.${round & 255}`
    const talk = new Conversation({ client, start: time, step: 90 })
    talk.handshake()
    for (let call = 0; call < 20; call++) talk.send(0, new Uint8Array(200)).send(1, new Uint8Array(4000))
    for (const { data, time: at } of talk.close().packets)
      writer.packet(0, at, data, 0, data.length, data.length)
    time = talk.time
    if (writer.length < MIB) continue
    const piece = writer.take()
    written += piece.length
    yield piece
  }
}

async function ours(name: string, query: string): Promise<Figures> {
  const url = `http://127.0.0.1:${hub.port}/mcp/snapshots/${name}/pcap?${query}`
  const before = process.cpuUsage()
  const { stdout } = await run('curl', [...CURL, url]).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return run(process.execPath, ['--input-type=module', '-e', CLIENT, url])
  })
  const { user, system } = process.cpuUsage(before)
  const { status, first, seconds } = JSON.parse(stdout) as Omit<Required<Figures>, 'cpu'> & { status: number }
  if (status !== 200) throw new Error(`${url} answers ${status}`)
  return { seconds, first: first * 1000, cpu: (user + system) / 1e6 }
}

async function theirs(command: string, ...args: string[]): Promise<Figures | undefined> {
  const [began, before] = [performance.now(), childCpu()]
  try {
    await run(command, args)
  } catch {
    return undefined
  }
  return { seconds: (performance.now() - began) / 1000, cpu: childCpu() - before }
}

/** cutime and cstime of proc(5), in hundredths of a second. */
function childCpu(): number {
  const fields = readFileSync('/proc/self/stat', 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(fields[13]) + Number(fields[14])) / 100
}

function tell(name: string, bytes: number, figures: readonly Figures[]): void {
  if (figures.length === 0) {
    console.log(`${name.padEnd(38)} not installed here`)
    return
  }
  const { seconds, cpu, first } = figures.toSorted((a, b) => a.seconds - b.seconds)[figures.length >> 1]!
  const early = first === undefined ? '' : `, first byte after ${first.toFixed(0)} ms`
  const rate = (bytes / 1e6 / seconds).toFixed(0).padStart(6)
  console.log(`${name.padEnd(38)} ${rate} MB/s  ${cpu.toFixed(2)} s of processor${early}`)
}
