import type { Comparison, Operator } from './expression.ts'
import type { FilterProgram } from './filter-program.ts'
import { BY_INDEX, OP } from './instruction.ts'
import type { Test, Value } from './test-tree.ts'

/** Cells that a program may keep numbers in. */
const CELLS = 16
/** No packet is longer: a load beyond it needs no try. */
const FARTHEST = 0xfffff

/** What the registers hold already, so that it need not be loaded again; absent: not known. */
interface Held {
  /** Offset and size of the load in the accumulator. */
  readonly accumulator?: string
  /** Where the header lies whose length is in the index register. */
  readonly index?: number
}

/** What they hold where the program goes on. */
interface Outcome {
  readonly yes: Held
  readonly no: Held
}

const NOTHING: Held = {}

/** Writes a test: the program goes on at `yes` or at `no`, or ends without a match. Throws `RangeError` where it cannot. */
export function emitTest(
  program: FilterProgram,
  test: Test,
  yes: string,
  no: string,
  held = NOTHING,
): Outcome {
  switch (test.kind) {
    case 'constant':
      program.jump(test.value ? yes : no)
      return { yes: held, no: held }
    case 'not': {
      const of = emitTest(program, test.of, no, yes, held)
      return { yes: of.no, no: of.yes }
    }
    case 'and': {
      const middle = program.freshLabel()
      const left = emitTest(program, test.left, middle, no, held)
      program.label(middle)
      const right = emitTest(program, test.right, yes, no, left.yes)
      return { yes: right.yes, no: inBoth(left.no, right.no) }
    }
    case 'or': {
      const middle = program.freshLabel()
      const left = emitTest(program, test.left, yes, middle, held)
      program.label(middle)
      const right = emitTest(program, test.right, yes, no, left.no)
      return { yes: inBoth(left.yes, right.yes), no: right.no }
    }
    case 'compare':
      return emitCompare(program, test, yes, no, held)
  }
}

function inBoth(one: Held, other: Held): Held {
  return {
    ...(one.accumulator !== undefined &&
      one.accumulator === other.accumulator && { accumulator: one.accumulator }),
    ...(one.index !== undefined && one.index === other.index && { index: one.index }),
  }
}

const JUMPS: Readonly<Record<Comparison, readonly [code: number, swapped: boolean]>> = {
  '=': [OP.ifEqual, false],
  '!=': [OP.ifEqual, true],
  '>': [OP.ifGreater, false],
  '<=': [OP.ifGreater, true],
  '>=': [OP.ifGreaterEqual, false],
  '<': [OP.ifGreaterEqual, true],
}

const LOADS = {
  1: [OP.loadByte, OP.loadByteIndexed],
  2: [OP.loadHalf, OP.loadHalfIndexed],
  4: [OP.loadWord, OP.loadWordIndexed],
} as const

const OPERATORS: Readonly<Record<Operator, number>> = {
  '+': OP.add,
  '-': OP.subtract,
  '*': OP.multiply,
  '/': OP.divide,
  '%': OP.modulo,
  '&': OP.and,
  '|': OP.or,
  '^': OP.exclusiveOr,
  '<<': OP.shiftLeft,
  '>>': OP.shiftRight,
}

function emitCompare(
  program: FilterProgram,
  { comparison, left, right }: Extract<Test, { kind: 'compare' }>,
  yes: string,
  no: string,
  held: Held,
): Outcome {
  const [code, swapped] = JUMPS[comparison]
  const [target, otherwise] = swapped ? [no, yes] : [yes, no]
  if (right.kind === 'number') {
    const after = emitFirst(program, left, held)
    program.branch(code, right.value, target, otherwise)
    return { yes: after, no: after }
  }
  const [operand, value] = emitPair(program, left, right, 0)
  program.branch(code | operand, value, target, otherwise)
  return { yes: NOTHING, no: NOTHING }
}

/** A value for a comparison with a number. What is in the registers already is not loaded again. */
function emitFirst(program: FilterProgram, value: Value, held: Held): Held {
  if (value.kind === 'binary' && value.right.kind === 'number' && isPlain(value.left)) {
    const { index } = emitFirst(program, value.left, held)
    program.add(OPERATORS[value.operator], value.right.value)
    return index === undefined ? NOTHING : { index }
  }
  if (!isPlain(value)) {
    emitValue(program, value, 0)
    return NOTHING
  }
  const { size, from, headerAt } = value
  const [absolute, indexed] = LOADS[size]
  if (headerAt === undefined) {
    const accumulator = `${from}:${size}`
    if (held.accumulator !== accumulator) program.add(absolute, from)
    return { ...held, accumulator }
  }
  if (held.index !== headerAt) program.loadHeaderLength(headerAt)
  const accumulator = `${from}+${headerAt}:${size}`
  if (held.accumulator !== accumulator) program.add(indexed, from)
  return { accumulator, index: headerAt }
}

type Load = Extract<Value, { kind: 'load' }>

function isPlain(value: Value): value is Load {
  return value.kind === 'load' && value.index === undefined
}

/** The left value in the accumulator; the right one as a number, or in the index register. */
function emitPair(program: FilterProgram, left: Value, right: Value, cell: number): [number, number] {
  if (right.kind === 'number') {
    emitValue(program, left, cell)
    return [0, right.value]
  }
  if (cell >= CELLS) throw new RangeError('the arithmetic is nested too deeply for the kernel (16 cells)')
  emitValue(program, right, cell)
  program.add(OP.storeCell, cell)
  emitValue(program, left, cell + 1)
  program.add(OP.loadIndexCell, cell)
  return [BY_INDEX, 0]
}

/** Into the accumulator; uses cells from `cell` on. */
function emitValue(program: FilterProgram, value: Value, cell: number): void {
  switch (value.kind) {
    case 'number':
      program.add(OP.loadNumber, value.value)
      return
    case 'length':
      program.loadLength()
      return
    case 'binary': {
      const [operand, number] = emitPair(program, value.left, value.right, cell)
      program.add(OPERATORS[value.operator] | operand, number)
      return
    }
    case 'load':
      emitLoad(program, value, cell)
  }
}

function emitLoad(program: FilterProgram, { size, from, headerAt, index }: Load, cell: number): void {
  const [absolute, indexed] = LOADS[size]
  const fixed = index === undefined ? 0 : index.kind === 'number' ? index.value : undefined
  if (fixed !== undefined && fixed <= FARTHEST) {
    if (headerAt === undefined) program.add(absolute, from + fixed)
    else program.loadHeaderLength(headerAt).add(indexed, from + fixed)
    return
  }
  if (fixed !== undefined && headerAt === undefined) {
    program.accept(0)
    return
  }
  emitValue(program, index!, cell)
  if (headerAt !== undefined) {
    if (cell >= CELLS) throw new RangeError('the arithmetic is nested too deeply for the kernel (16 cells)')
    program
      .add(OP.storeCell, cell)
      .loadHeaderLength(headerAt)
      .add(OP.loadCell, cell)
      .add(OP.add | BY_INDEX, 0)
  }
  program.add(OP.toIndex, 0).add(indexed, from)
}
