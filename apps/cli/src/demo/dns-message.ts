/** Just enough of RFC 1035 for the shop's own names: one question, at most one address. */

const rcode = { ok: 0, noSuchName: 3 } as const

export function encodeQuery(id: number, name: string): Buffer {
  return Buffer.concat([header(id, 0x0100, 0), encodeQuestion(name)])
}

export function encodeAnswer(query: Buffer, name: string, ip: string | undefined): Buffer {
  const flags = 0x8180 | (ip === undefined ? rcode.noSuchName : rcode.ok)
  const head = Buffer.concat([
    header(query.readUInt16BE(0), flags, ip === undefined ? 0 : 1),
    encodeQuestion(name),
  ])
  if (ip === undefined) return head
  // A pointer to the name in the question; type A, class IN, 30 s to live, 4 bytes of address.
  return Buffer.concat([
    head,
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 30, 0, 4, ...ip.split('.').map(Number)]),
  ])
}

export function questionName(message: Buffer): string | undefined {
  const labels: string[] = []
  for (let at = 12; at < message.length; ) {
    const length = message[at]!
    if (length === 0) return labels.join('.')
    if (length > 63) return undefined
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return undefined
}

function header(id: number, flags: number, answers: number): Buffer {
  const bytes = Buffer.alloc(12)
  for (const [at, value] of [id, flags, 1, answers].entries()) bytes.writeUInt16BE(value, at * 2)
  return bytes
}

function encodeQuestion(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label, 'latin1')]))
  return Buffer.concat([...labels, Buffer.from([0, 0, 1, 0, 1])])
}
