/** Registers of eBPF: 0 result, 1 to 5 arguments, 6 to 9 preserved across calls, 10 frame pointer. */
export type Register = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10
type Width = 2 | 4 | 8

const LOAD: Readonly<Record<Width, number>> = { 2: 0x69, 4: 0x61, 8: 0x79 }
const STORE: Readonly<Record<Width, number>> = { 2: 0x6b, 4: 0x63, 8: 0x7b }
const MAP_FD = 1

/** An assembler for eBPF programs; instruction numbers are from RFC 9669. */
export class BpfCode {
  readonly #bytes: number[] = []
  readonly #jumps: { readonly at: number; readonly label: string }[] = []
  readonly #labels = new Map<string, number>()

  get count(): number {
    return this.#bytes.length / 8
  }

  move(to: Register, from: Register): this {
    return this.#add(0xbf, to, from)
  }

  set(to: Register, value: number): this {
    return this.#add(0xb7, to, 0, 0, value)
  }

  add(to: Register, value: number): this {
    return this.#add(0x07, to, 0, 0, value)
  }

  /** A number of up to 64 bits. */
  setLong(to: Register, value: bigint): this {
    this.#add(0x18, to, 0, 0, Number(BigInt.asIntN(32, value)))
    return this.#add(0, 0, 0, 0, Number(BigInt.asIntN(32, value >> 32n)))
  }

  setMap(to: Register, fd: number): this {
    this.#add(0x18, to, MAP_FD, 0, fd)
    return this.#add(0, 0, 0)
  }

  load(width: Width, to: Register, base: Register, offset: number): this {
    return this.#add(LOAD[width], to, base, offset)
  }

  store(width: Width, base: Register, offset: number, from: Register): this {
    return this.#add(STORE[width], base, from, offset)
  }

  /** Writes 8 zero bytes. */
  clear(base: Register, offset: number): this {
    return this.#add(0x7a, base, 0, offset, 0)
  }

  call(helper: number): this {
    return this.#add(0x85, 0, 0, 0, helper)
  }

  /** Jumps to a label if the register has this value. */
  ifEqual(register: Register, value: number, label: string): this {
    return this.#jump(0x15, register, value, label)
  }

  ifNot(register: Register, value: number, label: string): this {
    return this.#jump(0x55, register, value, label)
  }

  /** Jumps if the register, without a sign, is above this value. */
  ifAbove(register: Register, value: number, label: string): this {
    return this.#jump(0x25, register, value, label)
  }

  ifDifferent(one: Register, other: Register, label: string): this {
    this.#jumps.push({ at: this.count, label })
    return this.#add(0x5d, one, other)
  }

  label(name: string): this {
    this.#labels.set(name, this.count)
    return this
  }

  exit(): this {
    return this.set(0, 0).return()
  }

  /** Ends with the value of register 0. */
  return(): this {
    return this.#add(0x95, 0, 0)
  }

  /** The instructions. Throws if a label is missing, which is a programming error. */
  bytes(): Uint8Array {
    const bytes = Uint8Array.from(this.#bytes)
    const view = new DataView(bytes.buffer)
    for (const { at, label } of this.#jumps) {
      const target = this.#labels.get(label)
      if (target === undefined) throw new Error(`no label "${label}"`)
      view.setInt16(at * 8 + 2, target - at - 1, true)
    }
    return bytes
  }

  #jump(code: number, register: Register, value: number, label: string): this {
    this.#jumps.push({ at: this.count, label })
    return this.#add(code, register, 0, 0, value)
  }

  #add(code: number, to: number, from: number, offset = 0, value = 0): this {
    const bytes = new Uint8Array(8)
    const view = new DataView(bytes.buffer)
    view.setUint8(0, code)
    view.setUint8(1, (from << 4) | to)
    view.setInt16(2, offset, true)
    view.setInt32(4, value, true)
    this.#bytes.push(...bytes)
    return this
  }
}
