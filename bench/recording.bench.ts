import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import type { PacketSender } from '../apps/worker/src/testing/packet-sender.ts'
import { serveRecorder, startOwn } from './recording/own-recorder.ts'
import type { Recorder } from './recording/recorder.ts'
import { startTcpdump } from './recording/tcpdump.ts'

/*
 * The capture thread writing its ring, next to `tcpdump -w` on the same disk, in turns: frames of 64, 1500 and 65,535
 * bytes (what offloads make of bulk transfers) over a veth pair in a network namespace of its own. First the CPU time a
 * packet of each at the same rate, then the highest rate that each holds without a drop, beginning with all that the
 * sender can do. Needs root. Rounds: TAPDECK_BENCH_ROUNDS (3). Only
 * some sizes: TAPDECK_BENCH_ONLY=64,1500. Where files go: TAPDECK_BENCH_FOLDER.
 */
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 3)
const ONLY = process.env.TAPDECK_BENCH_ONLY?.split(',')
const BUFFER = 64 << 20
const SECONDS = 3
/**
 * Before that, so that code is compiled and memory is there, as in a recorder that has run for a while. V8 also collects
 * garbage once, 8 seconds after a start, which cost as much as the packets of a run.
 */
const WARM_SECONDS = 20
const REST_MS = 1300
/** So that a run ends before the kernel makes writers wait for the disk. */
const MAX_BYTES = 2e9
/** Longer than tcpdump waits for a block that is not full. */
const SETTLE_MS = 1300
/** The highest rate that is held is known well enough where the next that is not is less than this times as high. */
const NEAR = 1.25
const STEPS = 10
/** Small packets also at more than half of what tcpdump holds: at the lower rate what a wake-up costs is as much as the packets. */
const SIZES = [
  { size: 64, rates: [200_000, 500_000], warm: 200_000 },
  { size: 1500, rates: [100_000], warm: 100_000 },
  // More would fill the memory that waits for the disk before the run begins.
  { size: 65_535, rates: [8000], warm: 1000 },
]
const script = fileURLToPath(import.meta.url)

interface Run {
  readonly rate: number
  readonly recorded: number
  readonly drops: number
  /** Microseconds of CPU a packet. */
  readonly cpu: number
}

type Start = (folder: string) => Promise<Recorder>
const contestants: Readonly<Record<string, Start>> = {
  tapdeck: (folder) =>
    startOwn(script, {
      node: 'bench',
      application: 'bench',
      interfaces: ['in0'],
      snapLength: 262_144,
      bufferSize: BUFFER,
      recording: { folder, maxBytes: 16 * 2 ** 30 },
    }),
  tcpdump: (folder) => startTcpdump('in0', join(folder, 'tcpdump.pcap'), BUFFER),
}

if (!isMainThread) await import('../apps/worker/src/capture/capture-thread.ts')
else if (process.argv[2] === 'record') await serveRecorder(script, JSON.parse(process.argv[3]!))
else if (process.argv[2] === 'inside') await compare()
else enter()

/** Again, in a network namespace of its own. */
function enter(): void {
  if (process.getuid?.() !== 0) console.log('skipped: capturing and making interfaces needs root')
  else {
    const { status } = spawnSync('unshare', ['-n', process.execPath, script, 'inside'], { stdio: 'inherit' })
    process.exitCode = status ?? 1
  }
}

async function compare(): Promise<void> {
  // No packets but ours.
  writeFileSync('/proc/sys/net/ipv6/conf/default/disable_ipv6', '1')
  for (const line of [
    'link add out0 mtu 65521 type veth peer name in0 mtu 65521',
    'link set out0 up',
    'link set in0 up',
  ])
    execFileSync('ip', line.split(' '))
  const [{ ifindex }] = JSON.parse(execFileSync('ip', ['-j', 'link', 'show', 'out0'], { encoding: 'utf8' }))
  const { PacketSender } = await import('../apps/worker/src/testing/packet-sender.ts')
  for (const { size, rates, warm } of SIZES) {
    if (ONLY && !ONLY.includes(String(size))) continue
    const sender = new PacketSender(ifindex, size)
    for (const rate of rates) await evenly(sender, size, rate)
    await highest(sender, size, warm)
  }
}

/** CPU a packet, in turns. */
async function evenly(sender: PacketSender, size: number, rate: number): Promise<void> {
  const runs: Record<string, Run[]> = {}
  for (let round = 0; round < ROUNDS; round++)
    for (const [name, start] of Object.entries(contestants)) {
      runs[name] ??= []
      runs[name].push(await once(sender, start, size, rate, rate))
    }
  const [own, theirs] = [middle(runs.tapdeck!), middle(runs.tcpdump!)]
  const told = (name: string, { rate: reached, cpu, drops }: Run) =>
    `${name} ${cpu.toFixed(3)} µs a packet at ${Math.round(reached)}/s, ${drops} dropped`
  console.log(
    `${size} bytes: ${told('tapdeck', own)}; ${told('tcpdump', theirs)}; ratio ${(own.cpu / theirs.cpu).toFixed(2)}`,
  )
}

/** The highest rate without a drop: half of all that the sender can do, half of that, until one is held; then between. */
async function highest(sender: PacketSender, size: number, warm: number): Promise<void> {
  const told = ({ rate }: Run) =>
    `${Math.round(rate)} packets/s, ${((rate * size * 8) / 1e9).toFixed(2)} Gbit/s`
  for (const [name, start] of Object.entries(contestants)) {
    let run = await once(sender, start, size, 0, warm)
    let held = run.drops > 0 ? undefined : run
    let lost = run
    for (let step = 0; lost.drops > 0 && step < STEPS; step++) {
      if (held && lost.rate < held.rate * NEAR) break
      run = await once(sender, start, size, held ? Math.sqrt(held.rate * lost.rate) : lost.rate / 2, warm)
      if (run.drops > 0) lost = run
      else held = run
    }
    const share = ((100 * lost.drops) / (lost.recorded + lost.drops)).toFixed(1)
    const most = held
      ? `holds ${told(held)} at ${held.cpu.toFixed(3)} µs a packet`
      : 'holds none of these rates'
    console.log(
      `${size} bytes: ${name} ${most}${lost.drops > 0 ? `; at ${told(lost)} it drops ${share} %` : ''}`,
    )
  }
}

async function once(
  sender: PacketSender,
  start: Start,
  size: number,
  rate: number,
  warm: number,
): Promise<Run> {
  const folder = mkdtempSync(join(process.env.TAPDECK_BENCH_FOLDER ?? tmpdir(), 'tapdeck-bench-'))
  try {
    const recorder = await start(folder)
    const arrived = arrivals()
    const first = sender.burst(Number.POSITIVE_INFINITY, WARM_SECONDS, warm)
    await sleep(REST_MS)
    const before = recorder.cpu()
    const most = Math.floor(MAX_BYTES / (size + 32))
    const burst = sender.burst(most, SECONDS, rate)
    await sleep(SETTLE_MS)
    const cpu = recorder.cpu() - before
    const { packets, drops } = await recorder.stop()
    const came = arrivals() - arrived
    const missing = came - packets - drops
    if (missing !== 0) console.log(`  ${missing} of ${came} that arrived are neither recorded nor counted`)
    // Where frames are sent faster than the kernel takes them from one end of the cable to the other, it drops them on the way.
    const under = first.sent + burst.sent - came
    if (under !== 0) console.log(`  ${under} of ${burst.sent} sent did not arrive`)
    return {
      rate: burst.sent / burst.seconds,
      recorded: packets,
      drops,
      cpu: (cpu * 1e6) / burst.sent,
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Frames that reached the interface. */
function arrivals(): number {
  const [{ stats64 }] = JSON.parse(
    execFileSync('ip', ['-j', '-s', 'link', 'show', 'in0'], { encoding: 'utf8' }),
  )
  return stats64.rx.packets
}

function middle(runs: readonly Run[]): Run {
  return runs.toSorted((a, b) => a.cpu - b.cpu)[runs.length >> 1]!
}
