import type { BuiltPacket } from './conversation.ts'
import { FLAG, tcpFrame, udpFrame } from './packet-builder.ts'

const START = 1_700_000_000_000_000
const TWO_32 = 2 ** 32

/** Numbers below `below`, the same for the same seed (xorshift). */
export function dice(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

interface End {
  next: number
  acked: number
  /** The end of the window that it offered last, without scaling. */
  windowEnd: number
}

/** Connections that do all that connections do, at once, among other traffic. */
export function traffic(seed: number, count: number): BuiltPacket[] {
  const roll = dice(seed)
  const packets: BuiltPacket[] = []
  let time = START
  const open = (): [End, End] => [
    { next: roll(10) === 0 ? TWO_32 - roll(3000) : roll(TWO_32), acked: 0, windowEnd: 0 },
    { next: roll(TWO_32), acked: 0, windowEnd: 0 },
  ]
  const connections = Array.from({ length: 1 + roll(12) }, (_, number) => ({
    number,
    ends: open(),
    isOpen: false,
    last: [] as BuiltPacket[],
  }))
  const step = (one: (typeof connections)[number]): void => {
    const side = roll(2)
    const ends = one.ends
    const [from, to] = side === 0 ? [ends[0], ends[1]] : [ends[1], ends[0]]
    const client = { ip: `10.0.${one.number % 3}.${1 + (one.number % 5)}`, port: 40_000 + one.number }
    // Some are between two ports of one address.
    const server = { ip: one.number === 4 ? client.ip : '10.9.0.1', port: one.number === 3 ? 53 : 8080 }
    const [source, destination] = side === 0 ? [client, server] : [server, client]
    const say = (flags: number, payload = '', seq = from.next, ack = to.next, window = 500) => {
      const options = flags & FLAG.syn && roll(2) === 0 ? Uint8Array.of(3, 3, 1 + roll(8)) : undefined
      const data = tcpFrame({
        ...{ src: source.ip, sport: source.port, dst: destination.ip, dport: destination.port },
        ...{ seq: seq >>> 0, ack: ack >>> 0, flags, window, payload },
        ...(options !== undefined && { options }),
      })
      from.windowEnd = ack + window
      const packet = { data, time }
      packets.push(packet)
      one.last.push(packet)
      one.last.splice(0, one.last.length - 4)
    }
    const data = (size: number) => 'abcdefghij'.repeat(300).slice(0, size)
    if (!one.isOpen && roll(4) > 0) {
      one.isOpen = true
      if (roll(4) === 0) return
      const [a, b] = side === 0 ? [from, to] : [to, from]
      if (side === 0) say(FLAG.syn, '', a.next, 0)
      else say(FLAG.syn | FLAG.ack, '', b.next, a.next + 1)
      from.next = (from.next + 1) % TWO_32
      return
    }
    one.isOpen = true
    switch (roll(24)) {
      case 0:
        // Bytes that the capture lost, or that come later.
        from.next = (from.next + 1 + roll(2000)) % TWO_32
        return
      case 1: {
        const again = one.last[roll(one.last.length)]
        if (again !== undefined) packets.push({ ...again, time })
        return
      }
      case 2:
        say(FLAG.ack, '', from.next, to.next, 0)
        return
      case 3:
        say(FLAG.ack, data(1), from.next - 1)
        return
      case 4:
        say(FLAG.ack, '', from.next, to.next + roll(3000))
        return
      case 5:
        if (roll(6) === 0) {
          say(FLAG.fin | FLAG.ack)
          from.next = (from.next + 1) % TWO_32
        }
        return
      case 6:
        if (roll(8) === 0) {
          say(FLAG.rst | FLAG.ack)
          one.isOpen = roll(2) === 0
        }
        return
      case 7:
        if (roll(8) === 0) {
          one.isOpen = false
          one.ends = open()
        }
        return
      case 8:
      case 9:
        say(FLAG.ack, '', from.next, from.acked)
        return
      case 10: {
        const size = to.windowEnd - from.next
        if (size <= 0 || size > 3000) return
        say(FLAG.ack, data(size))
        from.next = (from.next + size) % TWO_32
        return
      }
      case 11: {
        const size = 1 + roll(2000)
        const cut = 54 + roll(size)
        say(FLAG.ack, data(size))
        const whole = packets.pop()!
        packets.push({ ...whole, data: whole.data.slice(0, cut), length: whole.data.length })
        from.next = (from.next + size) % TWO_32
        return
      }
      case 12:
      case 13:
      case 14:
        from.acked = to.next
        say(FLAG.ack, '', from.next, to.next, roll(65_536))
        return
      default: {
        const size = 1 + roll(300)
        from.acked = to.next
        say(FLAG.ack | FLAG.psh, data(size), from.next, to.next, 1 + roll(5000))
        from.next = (from.next + size) % TWO_32
      }
    }
  }
  while (packets.length < count) {
    time += roll(400)
    if (roll(60) === 0) time += roll(3_000_000)
    if (roll(400) === 0) time += 400_000_000
    if (roll(90) === 0) time -= roll(5000)
    if (roll(200) === 0) time -= 4_000_000
    if (roll(20) === 0)
      packets.push({
        data: udpFrame({
          src: '10.0.0.9',
          dst: '10.9.0.1',
          sport: 5000 + roll(3),
          dport: 9,
          payload: 'ping',
        }),
        time,
      })
    step(connections[roll(connections.length)])
  }
  return packets
}
