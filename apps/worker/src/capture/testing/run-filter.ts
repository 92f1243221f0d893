/** A packet as the kernel shows it to a filter. */
export interface FilteredPacket {
  readonly bytes: Uint8Array
  readonly protocol: number
  readonly packetType: number
  readonly interfaceIndex: number
  readonly hardwareType: number
}

/** Runs a classic BPF program as the kernel does: the bytes to keep; 0 also where a load goes beyond the packet. */
export function runFilter(program: Uint8Array, packet: FilteredPacket): number {
  const view = new DataView(program.buffer, program.byteOffset, program.byteLength)
  const ancillary = new Map([
    [0xfffff000, packet.protocol],
    [0xfffff004, packet.packetType],
    [0xfffff008, packet.interfaceIndex],
    [0xfffff01c, packet.hardwareType],
  ])
  let a = 0
  let x = 0
  const load = (at: number, size: number): number => {
    const known = ancillary.get(at)
    if (known !== undefined) return known
    if (at + size > packet.bytes.length) return Number.NaN
    let value = 0
    for (let i = 0; i < size; i++) value = value * 256 + packet.bytes[at + i]
    return value
  }
  for (let at = 0; ; at++) {
    const code = view.getUint16(at * 8, true)
    const yes = view.getUint8(at * 8 + 2)
    const no = view.getUint8(at * 8 + 3)
    const k = view.getUint32(at * 8 + 4, true)
    if (code === 0x20) a = load(k, 4)
    else if (code === 0x28) a = load(k, 2)
    else if (code === 0x30) a = load(k, 1)
    else if (code === 0x48) a = load(x + k, 2)
    else if (code === 0x80) a = packet.bytes.length
    else if (code === 0xb1) x = (load(k, 1) & 15) * 4
    else if (code === 0x05) at += k
    else if (code === 0x15) at += a === k ? yes : no
    else if (code === 0x35) at += a >= k ? yes : no
    else if (code === 0x45) at += (a & k) !== 0 ? yes : no
    else if (code === 0x06) return k
    else throw new Error(`instruction ${code}`)
    if (Number.isNaN(a)) return 0
  }
}
