import { closeSync, openSync, readFileSync, readSync, statSync } from 'node:fs'
import { Dissection } from '@tapdeck/dissect'
import { CaptureReader, type PacketSink } from '@tapdeck/wire'
import { BODY, PackedCalls } from './packed-calls.ts'

const CHUNK = 256 * 1024

export interface OwnResult {
  readonly calls: number
  /** Bytes of the packed calls. */
  readonly packed: number
  /** The most memory that the process ever had, MB. */
  readonly peak: number
  /** Calls a second of processor time once the program has started and is compiled: behind the first fifth of the file. */
  readonly warmRate?: number
}

function read(path: string, sink: PacketSink, pass: (bytes: number) => void): void {
  const file = openSync(path, 'r')
  const reader = new CaptureReader(sink, {})
  const lasting = sink.onStableChunk !== undefined
  let chunk = Buffer.allocUnsafeSlow(CHUNK)
  for (let size = readSync(file, chunk); size > 0; size = readSync(file, chunk)) {
    reader.push(chunk.subarray(0, size), lasting)
    pass(reader.bytes)
    if (lasting) chunk = Buffer.allocUnsafeSlow(CHUNK)
  }
  reader.end()
  closeSync(file)
}

/** Reads no more than what any dissection must: the limit. */
export function walk(path: string): OwnResult {
  let sum = 0
  const sink: PacketSink = {
    packet(data, start) {
      const ip = start + 14
      const at = ip + ((data[ip] & 15) << 2)
      sum ^= (data[ip + 12] << 24) | (data[ip + 13] << 16) | (data[ip + 14] << 8) | data[ip + 15]
      sum ^= (data[ip + 16] << 24) | (data[ip + 17] << 16) | (data[ip + 18] << 8) | data[ip + 19]
      sum ^= (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
      sum ^= (data[at + 4] << 24) | (data[at + 5] << 16) | (data[at + 6] << 8) | data[at + 7]
    },
  }
  read(path, sink, () => undefined)
  return { calls: sum & 0, packed: 0, peak: peakMegabytes() }
}

/** Calls as the index takes them. */
export function dissect(path: string): OwnResult {
  const packed = new PackedCalls()
  const dissection = new Dissection({ limits: { body: BODY }, emit: (call) => packed.add(call) })
  const cold = statSync(path).size / 5
  let warm: { readonly calls: number; readonly seconds: number } | undefined
  read(path, dissection, (bytes) => {
    if (bytes > cold) warm ??= { calls: dissection.calls, seconds: processorSeconds() }
  })
  const warmRate =
    warm === undefined ? 0 : (dissection.calls - warm.calls) / (processorSeconds() - warm.seconds)
  dissection.end()
  return { calls: dissection.calls, packed: packed.bytes, peak: peakMegabytes(), warmRate }
}

/** Of all threads. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

function peakMegabytes(): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8')) ?? []
  return Math.round(Number(kilobytes) / 1024)
}
