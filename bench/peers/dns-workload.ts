import type { CaptureFile } from './capture-file.ts'
import { address, frame, TRANSPORT } from './frame.ts'
import { Random } from './random.ts'
import type { Workload } from './workload.ts'

const CLIENTS = 0x0a000001
const SERVER = 0x0a60000a
const A = 1
const CNAME = 5
const SOA = 6
const AAAA = 28
const HOSTS = ['orders', 'payments', 'cart', 'redis-master', 'postgres', 'kafka-0.kafka-headless', 'auth']
const OUTSIDE = [
  'api.stripe.example',
  'www.mail-service.example',
  'storage.cloud.example',
  'hooks.chat.example',
]

const u16 = (value: number) => [value >> 8, value & 255]
const u32 = (value: number) => [...u16(value >>> 16), ...u16(value & 0xffff)]
const name = (text: string) => [
  ...text.split('.').flatMap((label) => [label.length, ...Buffer.from(label)]),
  0,
]
const record = (owner: readonly number[], type: number, ttl: number, data: readonly number[]) => [
  ...owner,
  ...u16(type),
  ...u16(1),
  ...u32(ttl),
  ...u16(data.length),
  ...data,
]
const OPT = [0, 0, 41, 4, 208, 0, 0, 0, 0, 0, 0]
/** Points at the name of the question. */
const QUESTION = [0xc0, 12]

function exchange(random: Random): readonly [Buffer, Buffer] {
  const inside = random.below(10) < 7
  const type = random.below(2) === 0 ? A : AAAA
  const asked = inside
    ? `${random.of(HOSTS)}-${random.below(200)}.shop.svc.cluster.local`
    : random.of(OUTSIDE)
  const searched = inside && random.below(3) === 0 ? `${asked}.shop.svc.cluster.local` : asked
  const question = [...name(searched), ...u16(type), ...u16(1)]
  const answers: number[][] = []
  const authority: number[][] = []
  const none = searched !== asked || (inside && type === AAAA)
  const ip = () =>
    type === A
      ? u32(random.below(1 << 24))
      : [0x20, 1, 0xd, 0xb8, ...u32(0), ...u32(0), ...u32(random.below(1 << 24))]
  if (none)
    authority.push(
      record(name('cluster.local'), SOA, 30, [
        ...name('ns.dns.cluster.local'),
        ...name('hostmaster.cluster.local'),
        ...u32(1_700_000_000),
        ...u32(7200),
        ...u32(1800),
        ...u32(86_400),
        ...u32(30),
      ]),
    )
  else if (inside) answers.push(record(QUESTION, type, 5, ip()))
  else {
    const alias = name(`edge-${random.below(100)}.cdn.example`)
    answers.push(record(QUESTION, CNAME, 300, alias))
    for (let i = 0; i < 2; i++) answers.push(record(alias, type, 60, ip()))
  }
  const id = [0, 0]
  const ask = [...id, 1, 0, ...u16(1), ...u16(0), ...u16(0), ...u16(1), ...question, ...OPT]
  const told = [
    ...id,
    0x81,
    searched !== asked ? 0x83 : 0x80,
    ...u16(1),
    ...u16(answers.length),
    ...u16(authority.length),
    ...u16(1),
    ...question,
    ...answers.flat(),
    ...authority.flat(),
    ...OPT,
  ]
  return [Buffer.from(ask), Buffer.from(told)]
}

interface Ends {
  readonly from: number
  readonly fromPort: number
  readonly to: number
  readonly toPort: number
}

function send(file: CaptureFile, ends: Ends, text: Buffer, id: number): void {
  const length = address(17, ends.from, ends.fromPort, ends.to, ends.toPort, 8 + text.length)
  frame.writeUInt16BE(8 + text.length, TRANSPORT + 4)
  frame.writeUInt16BE(0, TRANSPORT + 6)
  text.copy(frame, TRANSPORT + 8)
  frame.writeUInt16BE(id, TRANSPORT + 8)
  file.packet(frame, length)
}

export const dns: Workload = {
  name: 'DNS',
  word: 'dns',
  tshark: {
    filter: 'dns.flags.response==1',
    fields: ['dns.qry.name', 'dns.flags.rcode', 'dns.time', 'dns.a'],
  },
  suricata: 'dns',
  write(file, bytes) {
    const random = new Random(4)
    const made = Array.from({ length: 8191 }, () => exchange(random))
    let calls = 0
    for (; file.bytes < bytes; calls++) {
      const client = CLIENTS + (calls % 3000)
      const port = 32_768 + (Math.floor(calls / 3) % 28_000)
      const [ask, told] = made[calls % made.length]
      const id = random.below(65_536)
      send(file, { from: client, fromPort: port, to: SERVER, toPort: 53 }, ask, id)
      send(file, { from: SERVER, fromPort: 53, to: client, toPort: port }, told, id)
    }
    return calls
  },
}
