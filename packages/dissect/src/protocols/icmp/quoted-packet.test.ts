import { ipv4, ipv6, udpDatagram } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { readQuotedPacket } from './quoted-packet.ts'

const datagram = (src: string, dst: string) => udpDatagram({ src, dst, sport: 4000, dport: 53, payload: 'x' })

describe('a quoted packet', () => {
  const four = ipv4('10.0.0.1', '10.0.0.2', 17, datagram('10.0.0.1', '10.0.0.2'))
  const six = ipv6('fd00::1', 'fd00::2', 17, datagram('fd00::1', 'fd00::2'))

  it('tells whose it was', () => {
    expect(readQuotedPacket(four, 0)).toEqual({
      src: '10.0.0.1',
      dst: '10.0.0.2',
      protocol: 'udp',
      src_port: 4000,
      dst_port: 53,
    })
    expect(readQuotedPacket(six, 0)).toMatchObject({ src: 'fd00::1', dst: 'fd00::2', dst_port: 53 })
  })

  it('may be cut behind its header', () => {
    expect(readQuotedPacket(four.subarray(0, 22), 0)).toEqual({
      src: '10.0.0.1',
      dst: '10.0.0.2',
      protocol: 'udp',
    })
  })

  it('that is none is not shown', () => {
    expect(readQuotedPacket(four.subarray(0, 19), 0)).toBeUndefined()
    expect(readQuotedPacket(new Uint8Array(40), 0)).toBeUndefined()
  })
})
