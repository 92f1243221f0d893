/** Instruction codes of classic BPF (linux/bpf_common.h). */
const OP = {
  loadWord: 0x20,
  loadHalf: 0x28,
  loadByte: 0x30,
  loadHalfIndexed: 0x48,
  loadLength: 0x80,
  loadHeaderLength: 0xb1,
  jump: 0x05,
  ifEqual: 0x15,
  ifGreaterEqual: 0x35,
  ifAnyBit: 0x45,
  return: 0x06,
} as const

interface Instruction {
  readonly code: number
  readonly value: number
  /** Where to go if the test holds, or does not; absent means the next instruction. */
  readonly target?: string
  readonly otherwise?: string
}

const MAX_INSTRUCTIONS = 4096
const SIZE = 8

/** A small assembler for classic BPF with named places to jump to. Jumps only lead forward, as the kernel demands. */
export class FilterProgram {
  readonly #instructions: Instruction[] = []
  readonly #labels = new Map<string, number>()

  label(name: string): this {
    this.#labels.set(name, this.#instructions.length)
    return this
  }

  loadWord(at: number): this {
    return this.#add({ code: OP.loadWord, value: at })
  }

  loadHalf(at: number): this {
    return this.#add({ code: OP.loadHalf, value: at })
  }

  loadByte(at: number): this {
    return this.#add({ code: OP.loadByte, value: at })
  }

  /** The half word at `at` plus the index register. */
  loadHalfIndexed(at: number): this {
    return this.#add({ code: OP.loadHalfIndexed, value: at })
  }

  loadLength(): this {
    return this.#add({ code: OP.loadLength, value: 0 })
  }

  /** Index register = four times the low nibble of the byte at `at`: the length of an IPv4 header. */
  loadHeaderLength(at: number): this {
    return this.#add({ code: OP.loadHeaderLength, value: at })
  }

  ifEqual(value: number, target: string): this {
    return this.#add({ code: OP.ifEqual, value, target })
  }

  ifNotEqual(value: number, target: string): this {
    return this.#add({ code: OP.ifEqual, value, otherwise: target })
  }

  ifLess(value: number, target: string): this {
    return this.#add({ code: OP.ifGreaterEqual, value, otherwise: target })
  }

  ifAnyBit(mask: number, target: string): this {
    return this.#add({ code: OP.ifAnyBit, value: mask, target })
  }

  jump(to: string): this {
    return this.#add({ code: OP.jump, value: 0, target: to })
  }

  /** Ends the program: keeps this many bytes of the packet, none for 0. */
  accept(bytes: number): this {
    return this.#add({ code: OP.return, value: bytes })
  }

  /** An array of `struct sock_filter`. */
  assemble(): Uint8Array {
    const count = this.#instructions.length
    if (count > MAX_INSTRUCTIONS) throw new RangeError(`a kernel filter of ${count} instructions is too long`)
    const bytes = new Uint8Array(count * SIZE)
    const view = new DataView(bytes.buffer)
    for (const [at, { code, value, target, otherwise }] of this.#instructions.entries()) {
      view.setUint16(at * SIZE, code, true)
      if (code === OP.jump) view.setUint32(at * SIZE + 4, this.#distance(at, target), true)
      else {
        view.setUint8(at * SIZE + 2, this.#near(at, target))
        view.setUint8(at * SIZE + 3, this.#near(at, otherwise))
        view.setUint32(at * SIZE + 4, value, true)
      }
    }
    return bytes
  }

  #add(instruction: Instruction): this {
    this.#instructions.push(instruction)
    return this
  }

  #near(at: number, label: string | undefined): number {
    const distance = this.#distance(at, label)
    if (distance > 255) throw new RangeError(`the kernel filter jumps too far, to "${label}"`)
    return distance
  }

  #distance(at: number, label: string | undefined): number {
    if (label === undefined) return 0
    const place = this.#labels.get(label)
    if (place === undefined || place <= at)
      throw new RangeError(`"${label}" does not follow in the kernel filter`)
    return place - at - 1
  }
}
