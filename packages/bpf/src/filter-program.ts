import { BY_INDEX, OP } from './instruction.ts'

interface Instruction {
  readonly code: number
  readonly value: number
  /** Where to go if the test holds, or does not; absent means the next instruction. */
  readonly target?: string
  readonly otherwise?: string
}

/** As the kernel takes them. */
const MAX_INSTRUCTIONS = 4096
const MAX_NEAR = 255
/** Jumps that are about to become too long when others are widened. */
const SLACK = 64
const SIZE = 8

/** A small assembler for classic BPF with named places to jump to. Jumps only lead forward, as the kernel demands. */
export class FilterProgram {
  readonly #instructions: (Instruction | { readonly label: string })[] = []
  #fresh = 0

  label(name: string): this {
    this.#instructions.push({ label: name })
    return this
  }

  /** A unique label. */
  freshLabel(): string {
    return `#${this.#fresh++}`
  }

  add(code: number, value: number): this {
    this.#instructions.push({ code, value })
    return this
  }

  branch(code: number, value: number, target?: string, otherwise?: string): this {
    this.#instructions.push({ code, value, ...(target && { target }), ...(otherwise && { otherwise }) })
    return this
  }

  loadWord(at: number): this {
    return this.add(OP.loadWord, at)
  }

  /** The half word at `at` plus the index register. */
  loadHalfIndexed(at: number): this {
    return this.add(OP.loadHalfIndexed, at)
  }

  /** The byte at `at` plus the index register. */
  loadByteIndexed(at: number): this {
    return this.add(OP.loadByteIndexed, at)
  }

  and(mask: number): this {
    return this.add(OP.and, mask)
  }

  times(factor: number): this {
    return this.add(OP.multiply, factor)
  }

  plus(value: number): this {
    return this.add(OP.add, value)
  }

  plusIndex(): this {
    return this.add(OP.add | BY_INDEX, 0)
  }

  loadNumber(value: number): this {
    return this.add(OP.loadNumber, value)
  }

  /** Index register = what was loaded. */
  toIndex(): this {
    return this.add(OP.toIndex, 0)
  }

  /** If the packet has fewer bytes than these from the index register on. */
  ifFewerIndexed(bytes: number, target: string): this {
    return this.loadLength()
      .branch(OP.ifGreaterEqual | BY_INDEX, 0, undefined, target)
      .add(OP.subtract | BY_INDEX, 0)
      .ifLess(bytes, target)
  }

  loadLength(): this {
    return this.add(OP.loadLength, 0)
  }

  /** Index register = four times the low nibble of the byte at `at`: the length of an IPv4 header. */
  loadHeaderLength(at: number): this {
    return this.add(OP.loadHeaderLength, at)
  }

  ifEqual(value: number, target: string): this {
    return this.branch(OP.ifEqual, value, target)
  }

  ifNotEqual(value: number, target: string): this {
    return this.branch(OP.ifEqual, value, undefined, target)
  }

  ifLess(value: number, target: string): this {
    return this.branch(OP.ifGreaterEqual, value, undefined, target)
  }

  ifAnyBit(mask: number, target: string): this {
    return this.branch(OP.ifAnyBit, mask, target)
  }

  jump(to: string): this {
    return this.branch(OP.jump, 0, to)
  }

  /** Ends the program: keeps this many bytes of the packet, none for 0. */
  accept(bytes: number): this {
    return this.add(OP.return, bytes)
  }

  /** An array of `struct sock_filter`. Throws `RangeError` where the kernel would not take it. */
  assemble(): Uint8Array {
    let program = resolve(this.#instructions)
    // A conditional jump reaches 255 instructions; a longer one goes over an unconditional jump after it.
    for (let far = farthest(program); far.size > 0; far = farthest(program))
      program = resolve(widen(program, far))
    const { instructions } = program
    const count = instructions.length
    if (count > MAX_INSTRUCTIONS)
      throw new RangeError(
        `the filter takes ${count} instructions, and the kernel takes up to ${MAX_INSTRUCTIONS}`,
      )
    const bytes = new Uint8Array(count * SIZE)
    const view = new DataView(bytes.buffer)
    for (const [at, { code, value, target, otherwise }] of instructions.entries()) {
      view.setUint16(at * SIZE, code, true)
      if (code === OP.jump) view.setUint32(at * SIZE + 4, distance(program, at, target), true)
      else {
        view.setUint8(at * SIZE + 2, distance(program, at, target))
        view.setUint8(at * SIZE + 3, distance(program, at, otherwise))
        view.setUint32(at * SIZE + 4, value, true)
      }
    }
    return bytes
  }
}

interface Placed {
  readonly instructions: readonly Instruction[]
  readonly places: ReadonlyMap<string, number>
}

type Line = Instruction | { readonly label: string }

function resolve(lines: readonly Line[]): Placed {
  const instructions: Instruction[] = []
  const places = new Map<string, number>()
  for (const line of lines)
    if ('label' in line) places.set(line.label, instructions.length)
    else instructions.push(line)
  return { instructions, places }
}

function distance({ places }: Placed, at: number, label: string | undefined): number {
  if (label === undefined) return 0
  const place = places.get(label)
  if (place === undefined || place <= at) throw new RangeError(`"${label}" does not follow in the filter`)
  return place - at - 1
}

function farthest(program: Placed): Set<number> {
  const far = new Set<number>()
  for (const [at, { code, target, otherwise }] of program.instructions.entries())
    if (
      code !== OP.jump &&
      Math.max(distance(program, at, target), distance(program, at, otherwise)) > MAX_NEAR
    )
      far.add(at)
  return far
}

function widen(program: Placed, far: ReadonlySet<number>): Line[] {
  const { instructions, places } = program
  const labels = new Map<number, string[]>()
  for (const [label, at] of places) labels.set(at, [...(labels.get(at) ?? []), label])
  const lines: Line[] = []
  for (const [at, instruction] of instructions.entries()) {
    for (const label of labels.get(at) ?? []) lines.push({ label })
    if (!far.has(at)) {
      lines.push(instruction)
      continue
    }
    const { code, value, target, otherwise } = instruction
    const mark = `${instructions.length}.${at}`
    const [yes, no, next] = [`${mark} yes`, `${mark} no`, `${mark} next`]
    const [farYes, farNo] = [target, otherwise].map((one) => distance(program, at, one) > MAX_NEAR - SLACK)
    lines.push({
      code,
      value,
      target: farYes ? yes : (target ?? next),
      otherwise: farNo ? no : (otherwise ?? next),
    })
    if (farYes) lines.push({ label: yes }, { code: OP.jump, value: 0, target: target! })
    if (farNo) lines.push({ label: no }, { code: OP.jump, value: 0, target: otherwise! })
    lines.push({ label: next })
  }
  for (const label of labels.get(instructions.length) ?? []) lines.push({ label })
  return lines
}
