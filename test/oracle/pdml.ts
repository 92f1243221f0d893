/** A field or a layer as tshark shows it. */
export interface Shown {
  readonly name: string
  /** As tshark would print it; for a text see also `value`. */
  readonly show: string
  /** Its bytes in hexadecimal, where it has some. */
  readonly value: string
  /** The whole line of the packet's details, with the names that tshark has for numbers. */
  readonly line: string
  readonly children: readonly Shown[]
}

export interface ShownPacket {
  readonly number: number
  /** Microseconds since the epoch, as our own times. */
  readonly time: number
  readonly layers: readonly Shown[]
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }
const TAG = /<(\/?)(packet|proto|field)\b([^>]*?)(\/?)>/g
const ATTRIBUTE = /(\w+)="([^"]*)"/g

/** Reads what `tshark -T pdml` wrote. It is XML of three kinds of element, with everything in attributes. */
export function readPdml(text: string): ShownPacket[] {
  const packets: ShownPacket[] = []
  let layers: Shown[] = []
  const open: Shown[][] = []
  for (const [, closing, element, attributes, empty] of text.matchAll(TAG)) {
    if (element === 'packet') {
      if (closing === '/') packets.push(packetOf(layers))
      layers = []
      continue
    }
    if (closing === '/') {
      open.pop()
      continue
    }
    const children: Shown[] = []
    const parent = open.at(-1) ?? layers
    parent.push(shownOf(attributes, children))
    if (empty === '') open.push(children)
  }
  return packets
}

function shownOf(attributes: string, children: readonly Shown[]): Shown {
  const found: Record<string, string> = {}
  for (const [, name, value] of attributes.matchAll(ATTRIBUTE)) found[name] = value
  const { name = '', show = '', value = '', showname = '' } = found
  return { name, show: plain(show), value, line: plain(showname), children }
}

function packetOf(layers: readonly Shown[]): ShownPacket {
  const [number] = textsOf(layers, 'frame.number')
  const [seconds, fraction] = textsOf(layers, 'frame.time_epoch')[0].split('.')
  return { number: Number(number), time: Number(seconds) * 1e6 + Number(fraction.slice(0, 6)), layers }
}

function plain(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi, (whole, hex, decimal, name) => {
    if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16))
    if (decimal !== undefined) return String.fromCodePoint(Number(decimal))
    return ENTITIES[name] ?? whole
  })
}

/** Every field of that name, wherever it stands below, in order. */
export function findAll(nodes: readonly Shown[], name: string): Shown[] {
  const found: Shown[] = []
  for (const node of nodes) {
    if (node.name === name) found.push(node)
    if (node.children.length > 0) found.push(...findAll(node.children, name))
  }
  return found
}

/** The values of the fields of that name. */
export function textsOf(nodes: readonly Shown[], name: string): string[] {
  return findAll(nodes, name).map(({ show }) => show)
}

export function firstText(nodes: readonly Shown[], name: string): string | undefined {
  return findAll(nodes, name)[0]?.show
}

/** The bytes of a field, read as text: what tshark prints is shortened and escaped. */
export function decodedText({ value }: Shown): string {
  return Buffer.from(value, 'hex').toString('utf8')
}
