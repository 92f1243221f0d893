import { expect, test } from 'vitest'
import { PcapngWriter } from './capture-file/pcapng-writer.ts'
import { listPackets } from './packet-list.ts'
import { tcpFrame, udpFrame } from './testing/index.ts'

const ETHERNET = 1
const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 40_000, dport: 80 }

function fileOf(frames: readonly Uint8Array[]): Uint8Array {
  const writer = new PcapngWriter()
  writer.section()
  writer.interface({ link: ETHERNET })
  for (const [at, frame] of frames.entries())
    writer.packet(0, 1000 + at, frame, 0, frame.length, frame.length)
  return writer.take()
}

test('lists packets with their ends, TCP fields and where each header begins', () => {
  const payload = new TextEncoder().encode('GET / HTTP/1.1')
  const frames = [tcpFrame({ ...ends, seq: 7, ack: 9, payload }), udpFrame({ ...ends, payload })]
  const { packets, unlisted } = listPackets(fileOf(frames), 10)
  expect(unlisted).toBe(0)
  const [tcp, udp] = packets
  expect(tcp).toMatchObject({ time: 1000, length: frames[0]!.length })
  expect(tcp!.ends).toEqual({
    protocol: 'tcp',
    source: '10.0.0.1',
    sourcePort: 40_000,
    destination: '10.0.0.2',
    destinationPort: 80,
  })
  expect(tcp!.tcp).toMatchObject({ sequence: 7, acknowledgment: 9 })
  expect(tcp!.tcp!.flags).toContain('ACK')
  expect(tcp!.layers).toEqual([
    { name: 'link', from: 0 },
    { name: 'ip', from: 14 },
    { name: 'transport', from: 34 },
    { name: 'payload', from: 54 },
  ])
  expect(new TextDecoder().decode(tcp!.bytes.subarray(54))).toBe('GET / HTTP/1.1')
  expect(udp!.ends?.protocol).toBe('udp')
  expect(udp!.layers.at(-1)).toEqual({ name: 'payload', from: 42 })
})

test('counts packets after the limit, and lists what has no transport', () => {
  const frames = [new Uint8Array(20), tcpFrame(ends), tcpFrame(ends)]
  const { packets, unlisted } = listPackets(fileOf(frames), 2)
  expect(unlisted).toBe(1)
  expect(packets[0]).toMatchObject({ layers: [{ name: 'link', from: 0 }] })
  expect(packets[0]!.ends).toBeUndefined()
})

test('a file that was cut at any byte gives the packets before the cut', () => {
  const file = fileOf([tcpFrame(ends), tcpFrame(ends)])
  for (let length = 0; length < file.length; length++)
    expect(listPackets(file.subarray(0, length), 10).packets.length).toBeLessThan(2)
  expect(listPackets(file, 10).packets.length).toBe(2)
})
