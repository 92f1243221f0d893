import { has, WORD } from './char-set.ts'
import type { Assertion } from './pattern.ts'
import type { Instruction } from './program.ts'

/** The context before or after a position. */
export type Kind = 'start' | 'newline' | 'word' | 'other' | 'end'

/** The instructions that a program reaches without reading a character. Its buffers are made once and reused. */
export class Closure {
  readonly #program: readonly Instruction[]
  /** The round in which an instruction was last reached. */
  readonly #seen: Uint32Array
  #round = 0
  readonly #found: number[] = []
  readonly #open: number[] = []

  constructor(program: readonly Instruction[]) {
    this.#program = program
    this.#seen = new Uint32Array(program.length)
  }

  /** Those that read a character next, or `match`. The array is valid until the next call. */
  of(kernel: readonly number[], before: Kind, after: Kind): readonly number[] | 'match' {
    if (++this.#round === 0xffffffff) {
      this.#seen.fill(0)
      this.#round = 1
    }
    const open = this.#open
    const found = this.#found
    found.length = 0
    open.length = 0
    for (const at of kernel) open.push(at)
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.#seen[at] === this.#round) continue
      this.#seen[at] = this.#round
      const instruction = this.#program[at]
      if (instruction.kind === 'match') return 'match'
      if (instruction.kind === 'set') found.push(at)
      else if (instruction.kind === 'jump') open.push(instruction.to)
      else if (instruction.kind === 'split') open.push(at + 1, instruction.to)
      else if (holds(instruction.assertion, before, after)) open.push(at + 1)
    }
    return found
  }
}

export function kindOf(code: number): Kind {
  return code === 0x0a ? 'newline' : has(WORD, code) ? 'word' : 'other'
}

/** Whether an assertion is true between two characters. */
export function holds(assertion: Assertion, before: Kind, after: Kind): boolean {
  switch (assertion) {
    case 'start':
      return before === 'start'
    case 'end':
      return after === 'end'
    case 'line-start':
      return before === 'start' || before === 'newline'
    case 'line-end':
      return after === 'end' || after === 'newline'
    case 'boundary':
      return (before === 'word') !== (after === 'word')
    case 'no-boundary':
      return (before === 'word') === (after === 'word')
  }
}
