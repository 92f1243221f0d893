import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CaptureReader, type Flow, type PacketSink, PcapngWriter, Streams } from '@tapdeck/wire'
import { Recorder, type StreamEvent } from '@tapdeck/wire/testing'
import type { Input, Turn } from './input.ts'

/** Longer conversations are cut here: what is small is tried more often. */
const MAX_BYTES = 2560
const MAX_PACKETS = 12

/** What mutations begin from: every conversation, packet run and file of the protocols' own captures. */
export function readCorpus(protocols: string): Input[] {
  return readdirSync(protocols, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => capturesOf(join(protocols, name, 'captures')))
    .flatMap((file) => inputsOf(file))
}

function capturesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.pcap'))
      .map((name) => join(folder, name))
  } catch {
    return []
  }
}

function inputsOf(file: string): Input[] {
  const origin = file.split('/').slice(-3).join('/')
  const bytes = new Uint8Array(readFileSync(file))
  const packets: Uint8Array[] = []
  let link = 0
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  const tee: PacketSink = {
    packet(data, start, end, length, time, type) {
      packets.push(data.slice(start, end))
      link = type
      streams.packet(data, start, end, length, time, type)
    },
  }
  const reader = new CaptureReader(tee, streams.loss)
  reader.push(bytes)
  reader.end()
  streams.end()
  const runs: Input[] = []
  for (let at = 0; at < packets.length; at += MAX_PACKETS)
    runs.push({ door: 'packets', origin, link, packets: packets.slice(at, at + MAX_PACKETS) })
  const few = packets.slice(0, MAX_PACKETS)
  return [
    ...recorder.flows.map((flow) => talk(origin, flow, recorder.events)).filter((one) => one !== undefined),
    ...runs,
    { door: 'file', origin, bytes: bytes.slice(0, MAX_BYTES) },
    { door: 'file', origin, bytes: pcapng(few, link).slice(0, MAX_BYTES) },
  ]
}

function talk(origin: string, flow: Flow, events: readonly StreamEvent[]): Input | undefined {
  const turns: Turn[] = []
  let left = MAX_BYTES
  for (const event of events) {
    if (event.flow !== flow || !('side' in event) || left <= 0) continue
    const bytes = 'bytes' in event ? event.bytes.slice(0, left) : new Uint8Array(0)
    left -= bytes.length
    const length = event.kind === 'gap' ? event.missing : event.kind === 'datagram' ? event.length : 0
    turns.push({ kind: event.kind, side: event.side, at: event.time - flow.start, bytes, length })
  }
  if (turns.length === 0) return undefined
  const ports = [flow.ends[0].port, flow.ends[1].port] as const
  return { door: 'stream', origin, transport: flow.transport, ports, midstream: flow.midstream, turns }
}

function pcapng(packets: readonly Uint8Array[], link: number): Uint8Array {
  const writer = new PcapngWriter()
  writer.section('fuzz')
  const id = writer.interface({ link, name: 'fuzz0' })
  for (const [index, packet] of packets.entries())
    writer.packet(id, 1_700_000_000_000_000 + index * 1000, packet, 0, packet.length, packet.length)
  return writer.take()
}
