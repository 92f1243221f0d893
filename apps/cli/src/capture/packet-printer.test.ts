import { PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import { PacketPrinter } from './packet-printer.ts'
import { StreamNotes } from './stream-notes.ts'

function talk(): Buffer {
  const writer = new PcapngWriter()
  writer.section()
  writer.names([['10.0.0.1', ['cart-1.shop']]])
  const id = writer.interface({ link: 1, name: 'node-a' })
  const conversation = new Conversation({
    ...{ client: '10.0.0.1', server: '10.0.0.2', clientPort: 41_022, start: 1_700_000_000_000_007 },
  })
  conversation.handshake()
  conversation.send(0, 'GET / HTTP/1.1\r\n\r\n')
  for (const { data, time } of conversation.packets)
    writer.packet(id, time, data, 0, data.length, data.length)
  writer.statistics(id, 1, { drops: 7, comment: 'tapdeck: node-a: 7 recorded packets were skipped' })
  return Buffer.from(writer.take())
}

it('prints a line for each packet, with node, names, flags and length, and reports what was skipped', () => {
  const notices: string[] = []
  const printer = new PacketPrinter(new StreamNotes((text) => notices.push(text)), {
    format: 'text',
    utc: true,
  })
  const lines = printer.print(talk()).trimEnd().split('\n')
  expect(lines[0]).toBe('22:13:20.000007 node-a cart-1.shop:41022 > 10.0.0.2:80: TCP [S], length 0')
  expect(lines[1]).toMatch(/ 10\.0\.0\.2:80 > cart-1\.shop:41022: TCP \[S\.\], length 0$/)
  expect(lines[3]).toMatch(/ TCP \[P?\.\], length 18$/)
  expect(notices).toEqual(['node-a: 7 recorded packets were skipped'])
})

it('prints an object for each packet as JSON', () => {
  const printer = new PacketPrinter(new StreamNotes(() => {}), { format: 'json', utc: true })
  const [first] = printer.print(talk()).split('\n')
  expect(JSON.parse(first!)).toEqual({
    ...{ time: '2023-11-14T22:13:20.000007Z', node: 'node-a', protocol: 'TCP', flags: 'S', length: 0 },
    ...{ src: '10.0.0.1', src_name: 'cart-1.shop', src_port: 41_022, dst: '10.0.0.2', dst_port: 80 },
  })
})
