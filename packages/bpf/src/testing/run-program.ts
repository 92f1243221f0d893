/** A packet as a filter sees it. */
export interface FilteredPacket {
  readonly bytes: Uint8Array
  /** Length on the wire; default: the number of bytes. */
  readonly length?: number
  /** What the kernel knows besides the bytes, by the offset of its load. */
  readonly ancillary?: ReadonlyMap<number, number>
  /** Where the network header begins: loads from 0xfff00000 on are counted from it. */
  readonly network?: number
}

const NETWORK = 0xfff00000

/**
 * Runs a classic BPF program: the bytes to keep; 0 also where a load goes beyond the packet or a division is by
 * zero. Throws at what is no instruction.
 */
export function runProgram(program: Uint8Array, packet: FilteredPacket): number {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength)
  const cells = new Uint32Array(16)
  let a = 0
  let x = 0
  const load = (offset: number, size: number): number => {
    const known = packet.ancillary?.get(offset)
    if (known !== undefined) return known
    const at = offset >= NETWORK && packet.network !== undefined ? offset - NETWORK + packet.network : offset
    if (at + size > packet.bytes.length) return Number.NaN
    let value = 0
    for (let i = 0; i < size; i++) value = value * 256 + packet.bytes[at + i]
    return value
  }
  for (let at = 0; ; at++) {
    const code = view.getUint16(at * 8, true)
    const k = view.getUint32(at * 8 + 4, true)
    const operand = code & 0x08 ? x : k
    switch (code & 7) {
      case 0:
        a =
          { 0x00: k, 0x60: cells[k & 15], 0x80: packet.length ?? packet.bytes.length }[code] ?? fetch(code, k)
        break
      case 1:
        x = code === 0xb1 ? (load(k, 1) & 15) * 4 : code === 0x61 ? cells[k & 15] : k
        if (code === 0xb1 && Number.isNaN(load(k, 1))) return 0
        break
      case 2:
        cells[k & 15] = a
        break
      case 4:
        if (operand === 0 && ((code & 0xf0) === 0x30 || (code & 0xf0) === 0x90)) return 0
        a = reckon(code & 0xf0, a, operand) >>> 0
        break
      case 5:
        if (code === 0x05) at += k
        else at += view.getUint8(at * 8 + (holds(code & 0xf0, a, operand) ? 2 : 3))
        break
      case 6:
        return k
      case 7:
        if (code === 0x07) x = a
        else a = x
        break
      default:
        throw new Error(`instruction ${code}`)
    }
    if (Number.isNaN(a)) return 0
  }

  function fetch(code: number, k: number): number {
    const size = { 0x00: 4, 0x08: 2, 0x10: 1 }[code & 0x18]
    const mode = code & 0xe0
    if (size === undefined || (mode !== 0x20 && mode !== 0x40)) throw new Error(`instruction ${code}`)
    return load(mode === 0x40 ? x + k : k, size)
  }
}

function holds(test: number, a: number, operand: number): boolean {
  if (test === 0x10) return a === operand
  if (test === 0x20) return a > operand
  if (test === 0x30) return a >= operand
  if (test === 0x40) return (a & operand) !== 0
  throw new Error(`jump ${test}`)
}

function reckon(operation: number, a: number, operand: number): number {
  switch (operation) {
    case 0x00:
      return a + operand
    case 0x10:
      return a - operand
    case 0x20:
      return Math.imul(a, operand)
    case 0x30:
      return Math.floor(a / operand)
    case 0x40:
      return a | operand
    case 0x50:
      return a & operand
    case 0x60:
      return operand > 31 ? 0 : a << operand
    case 0x70:
      return operand > 31 ? 0 : a >>> operand
    case 0x80:
      return -a
    case 0x90:
      return a % operand
    case 0xa0:
      return a ^ operand
    default:
      throw new Error(`operation ${operation}`)
  }
}
