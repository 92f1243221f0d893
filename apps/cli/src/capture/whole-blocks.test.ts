import { PcapngWriter } from '@tapdeck/wire'
import { expect, it } from 'vitest'
import { WholeBlocks } from './whole-blocks.ts'

function stream(packets: number): Uint8Array {
  const writer = new PcapngWriter()
  writer.section()
  const id = writer.interface({ link: 1, name: 'n1' })
  for (let number = 0; number < packets; number++) writer.packet(id, number, new Uint8Array(61), 0, 61, 61)
  return writer.take()
}

it('passes the same bytes on however they are cut, and only whole blocks', () => {
  const bytes = stream(3)
  for (let cut = 0; cut <= bytes.length; cut++) {
    const blocks = new WholeBlocks()
    const first = Buffer.from(blocks.push(bytes.subarray(0, cut)))
    expect(new WholeBlocks().push(first)).toHaveLength(first.length)
    const all = Buffer.concat([first, blocks.push(bytes.subarray(cut))])
    expect(all.equals(bytes)).toBe(true)
    expect(blocks.packets).toBe(3)
  }
})

it('ends after the given number of packets', () => {
  const blocks = new WholeBlocks(2)
  expect(blocks.push(stream(5)).equals(stream(2))).toBe(true)
  expect(blocks).toMatchObject({ packets: 2, isFull: true })
  expect(blocks.push(stream(1))).toHaveLength(0)
})

it('refuses what is no pcapng', () => {
  expect(() => new WholeBlocks().push(Buffer.from('<html><body>no</body></html>'))).toThrow(/no pcapng/)
})
