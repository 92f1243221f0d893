import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressKey, CaptureReader, PcapngWriter } from '@tapdeck/wire'
import { udpFrame } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ChosenPackets } from './chosen-packets.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-chosen-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const RARE = [[addressKey('10.9.9.9')]]
const ETHERNET = 1
const RAW_IP = 101

/** Sections with link types of their own, as segments of a ring after each other; the rare host has one packet in each. */
function capture(sections: number, packets: number): string {
  const writer = new PcapngWriter()
  for (let section = 0; section < sections; section++) {
    const link = section % 2 === 0 ? ETHERNET : RAW_IP
    writer.section('test')
    writer.interface({ link, name: 'eth0' })
    for (let at = 0; at < packets; at++) {
      const src = at === packets - 1 ? '10.9.9.9' : `10.0.0.${at % 200}`
      const data = udpFrame({ src, dst: '10.1.0.1', sport: 1000, dport: 53, payload: new Uint8Array(1400) })
      const frame = link === ETHERNET ? data : data.subarray(14)
      writer.packet(0, 1_700_000_000_000_000 + at, frame, 0, frame.length, frame.length)
    }
  }
  const path = join(folder, 'n1.pcapng')
  writeFileSync(path, writer.take())
  return path
}

async function read(path: string, parties = RARE) {
  const chosen = await ChosenPackets.open([path], parties)
  if (chosen === undefined) return undefined
  const loss = {}
  let packets = 0
  const reader = new CaptureReader({ packet: () => void packets++ }, loss)
  for await (const chunk of chosen) reader.push(chunk)
  reader.end()
  expect(loss).toEqual({})
  return { packets, read: chosen.readBytes, total: chosen.chosenBytes }
}

test('the first to ask makes the index, the next reads little', async () => {
  const path = capture(4, 1000)
  const first = await read(path)
  expect(existsSync(`${path}.idx`)).toBe(true)
  const second = await read(path)
  expect(first?.packets).toBe(4)
  expect(second?.packets).toBe(4)
  expect(second!.read).toBeLessThan(first!.read * 0.4)
  expect(second!.read).toBeLessThanOrEqual(second!.total)
})

test('an unknown address: nothing is read', async () => {
  const path = capture(2, 100)
  await read(path)
  expect(await read(path, [[addressKey('10.250.0.1')]])).toMatchObject({ packets: 0, read: 0 })
})

test('what the ring did not write is left to others', async () => {
  const path = join(folder, 'foreign.pcap')
  writeFileSync(path, Buffer.from('d4c3b2a1020004000000000000000000ffff000001000000', 'hex'))
  expect(await read(path)).toBeUndefined()
})

test('an index of another file is not believed', async () => {
  const path = capture(1, 100)
  await read(path)
  rmSync(path)
  capture(2, 300)
  expect((await read(path))?.packets).toBe(2)
})

test('an index is not built after an abort', async () => {
  const path = capture(4, 1000)
  await expect(ChosenPackets.open([path], RARE, AbortSignal.abort())).rejects.toThrow(/abort/)
  expect(existsSync(`${path}.idx`)).toBe(false)
})
