/**
 * How to get from an object to a field: at each offset but the last there is a pointer to follow; the field is at the last.
 */
export type FieldPath = readonly number[]

const MAX_OFFSET = 16_384
const MAX_POINTERS = 2
const OBJECT = 0
/** Registers of arm64: the second argument of a call, and the result. */
const COPY_SOURCE = 1
const RESULT = 0
/** Not a register: what is stored where the second argument points to. */
const STORED = -1

/**
 * Reads the code of a function like `SSL_get_client_random(object, out, length)`, which copies a field of its first argument,
 * and returns the path of that field. So the layout comes from the file itself. Undefined if the code is not understood.
 */
export function copiedField(code: Buffer, machine: 'x64' | 'arm64'): FieldPath | undefined {
  const path = machine === 'arm64' ? arm64Field(code, COPY_SOURCE) : x64Field(code, LEA)
  return path !== undefined && isPlausible(path) ? path : undefined
}

/** The same for a function like `SSL_get_session(object)`, which returns a pointer in its first argument. */
export function returnedPointer(code: Buffer, machine: 'x64' | 'arm64'): FieldPath | undefined {
  const path = machine === 'arm64' ? arm64Field(code, RESULT) : x64Field(code, LOAD)
  const pointer = machine === 'arm64' && path?.at(-1) === 0 ? path.slice(0, -1) : path
  return pointer !== undefined && isPlausible(pointer) ? pointer : undefined
}

/**
 * The same for a function like `gnutls_session_get_random(object, out, …)`, which stores the address of a field of its first argument
 * at the start of its second.
 */
export function pointedField(code: Buffer, machine: 'x64' | 'arm64'): FieldPath | undefined {
  const path = machine === 'arm64' ? arm64Field(code, STORED) : x64StoredField(code)
  return path !== undefined && isPlausible(path) ? path : undefined
}

function isPlausible(path: FieldPath): boolean {
  return (
    path.length <= MAX_POINTERS + 1 &&
    path.every((offset) => offset >= 0 && offset < MAX_OFFSET && offset % 4 === 0) &&
    path.at(-1)! > 0
  )
}

/**
 * Follows the values that derive from the first argument, on both ways of each branch, up to the call of `memcpy`, whose second
 * argument is the field, or up to the return. The same field must be found on all ways that find one.
 */
function arm64Field(
  code: Buffer,
  wanted: typeof COPY_SOURCE | typeof RESULT | typeof STORED,
): FieldPath | undefined {
  const found = new Map<string, FieldPath>()
  const ways: Way[] = [{ at: 0, values: new Map([[OBJECT, [0]]]) }]
  for (let steps = 0; steps < MAX_STEPS && ways.length > 0; steps++) {
    const { at, values } = ways.pop()!
    if (at < 0 || at + 4 > code.length) continue
    const word = code.readUInt32LE(at)
    const isCall = matches(word, 0xfc000000, 0x94000000)
    const isJump = matches(word, 0xfc000000, 0x14000000)
    const isReturn = matches(word, 0xffffffff, RETURN)
    // str Xt, [x1]
    const isStore = matches(word, 0xffffffe0, 0xf9000020)
    const field = values.get(wanted === STORED ? word & 31 : wanted)
    const isEnd = wanted === STORED ? isStore : wanted === RESULT ? isReturn : isCall || isJump
    if (isEnd && field?.some((offset) => offset > 0)) {
      found.set(field.join(), field)
      continue
    }
    if (isReturn) continue
    if (isJump) ways.push({ at: at + signed(word, 0, 26) * 4, values })
    else {
      const target = arm64BranchTarget(word, at)
      if (target !== undefined) ways.push({ at: target, values: new Map(values) })
      else if (isCall)
        for (const register of values.keys()) if (register < FIRST_KEPT) values.delete(register)
      if (target === undefined && !isCall) arm64Compute(word, values)
      ways.push({ at: at + 4, values })
    }
  }
  return found.size === 1 ? [...found.values()][0] : undefined
}

interface Way {
  readonly at: number
  readonly values: Map<number, FieldPath>
}

const MAX_STEPS = 2000
const RETURN = 0xd65f03c0
/** Registers from here on keep their values in a call. */
const FIRST_KEPT = 19

function arm64Compute(word: number, values: Map<number, FieldPath>): void {
  const target = word & 31
  const known = values.get((word >>> 5) & 31)
  // mov, add and load; a comparison has the register 31 as its target.
  if (matches(word, 0xffe0ffe0, 0xaa0003e0)) set(values, target, values.get((word >>> 16) & 31))
  else if (matches(word, 0xff800000, 0x91000000) && known !== undefined)
    set(values, target, plus(known, ((word >>> 10) & 0xfff) << ((word >>> 22) & 1 ? 12 : 0)))
  else if (matches(word, 0xffc00000, 0xf9400000) && known !== undefined)
    set(values, target, [...plus(known, ((word >>> 10) & 0xfff) * 8), 0])
  else values.delete(target)
}

/** Where a branch on a condition, a register or a bit goes; undefined for other instructions. */
function arm64BranchTarget(word: number, at: number): number | undefined {
  if (matches(word, 0x7e000000, 0x34000000) || matches(word, 0xff000010, 0x54000000))
    return at + signed(word, 5, 19) * 4
  return matches(word, 0x7e000000, 0x36000000) ? at + signed(word, 5, 14) * 4 : undefined
}

function matches(word: number, mask: number, value: number): boolean {
  return (word & mask) >>> 0 === value
}

function signed(word: number, from: number, bits: number): number {
  return (word << (32 - from - bits)) >> (32 - bits)
}

/** The only address that is computed (LEA) from the first argument or from a pointer in it; or the only pointer that is read. */
function x64Field(code: Buffer, wanted: typeof LEA | typeof LOAD): FieldPath | undefined {
  const pointers = new Map<number, FieldPath>([[RDI, [0]]])
  const found = new Map<string, FieldPath>()
  for (let at = 0; at + 4 <= code.length; at++) {
    // REX.W prefixes: the target may be one of the upper registers.
    if (code[at] !== 0x48 && code[at] !== 0x4c) continue
    const [operation, operands] = [code[at + 1]!, code[at + 2]!]
    const [mode, register, other] = [operands >>> 6, (operands >>> 3) & 7, operands & 7]
    if (operation === MOVE && mode === 3 && code[at] === 0x48) {
      // What is overwritten here may still be the object on another way of a branch, so it is kept.
      const moved = pointers.get(register)
      if (moved !== undefined && !pointers.has(other)) pointers.set(other, moved)
      continue
    }
    const base = pointers.get(other)
    const offset = x64Offset(code, at + 3, mode)
    if (offset === undefined || base === undefined || other === SIB) continue
    const path = plus(base, offset)
    if (operation === wanted && isPlausible(path)) found.set(path.join(), path)
    else if (operation === LOAD && code[at] === 0x48 && !pointers.has(register))
      pointers.set(register, [...path, 0])
  }
  const [only, ...others] = found.values()
  return others.length === 0 ? only : undefined
}

/** The address that is stored at [rsi]: computed by LEA, or by adding to the first argument itself. */
function x64StoredField(code: Buffer): FieldPath | undefined {
  const pointers = new Map<number, FieldPath>([[RDI, [0]]])
  for (let at = 0; at + 3 <= code.length; at++) {
    if (code[at] !== 0x48) continue
    const [operation, operands] = [code[at + 1]!, code[at + 2]!]
    const [mode, register, other] = [operands >>> 6, (operands >>> 3) & 7, operands & 7]
    if (operation === MOVE && mode === 0 && other === RSI) return pointers.get(register)
    const base = pointers.get(other)
    if (base === undefined || other === SIB) continue
    if (operation === LEA) {
      const offset = x64Offset(code, at + 3, mode)
      if (offset !== undefined) pointers.set(register, plus(base, offset))
    } else if (mode === 3 && register === 0 && operation === ADD_BYTE && at + 4 <= code.length)
      pointers.set(other, plus(base, code.readInt8(at + 3)))
    else if (mode === 3 && register === 0 && operation === ADD_LONG && at + 7 <= code.length)
      pointers.set(other, plus(base, code.readInt32LE(at + 3)))
  }
  return undefined
}

/** The offset of an operand in memory, of one or four bytes as its mode says; undefined for other modes. */
function x64Offset(code: Buffer, at: number, mode: number): number | undefined {
  if (mode === 1) return code.readInt8(at)
  return mode === 2 && at + 4 <= code.length ? code.readInt32LE(at) : undefined
}

const [RDI, RSI, SIB, LEA, LOAD, MOVE, ADD_BYTE, ADD_LONG] = [7, 6, 4, 0x8d, 0x8b, 0x89, 0x83, 0x81]

function plus(path: FieldPath, offset: number): FieldPath {
  return [...path.slice(0, -1), path.at(-1)! + offset]
}

function set(values: Map<number, FieldPath>, register: number, path: FieldPath | undefined): void {
  if (path === undefined || path.length > MAX_POINTERS + 1) values.delete(register)
  else values.set(register, path)
}
