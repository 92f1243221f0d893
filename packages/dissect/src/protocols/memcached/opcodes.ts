/** Names of the binary protocol's operations, in lower case, by their code. */
const NAMES: Readonly<Record<number, string | undefined>> = {
  0: 'get',
  1: 'set',
  2: 'add',
  3: 'replace',
  4: 'delete',
  5: 'increment',
  6: 'decrement',
  7: 'quit',
  8: 'flush',
  9: 'getq',
  10: 'noop',
  11: 'version',
  12: 'getk',
  13: 'getkq',
  14: 'append',
  15: 'prepend',
  16: 'stat',
  17: 'setq',
  18: 'addq',
  19: 'replaceq',
  20: 'deleteq',
  21: 'incrementq',
  22: 'decrementq',
  23: 'quitq',
  24: 'flushq',
  25: 'appendq',
  26: 'prependq',
  27: 'verbosity',
  28: 'touch',
  29: 'gat',
  30: 'gatq',
  32: 'sasl_list_mechs',
  33: 'sasl_auth',
  34: 'sasl_step',
  35: 'gatk',
  36: 'gatkq',
  48: 'rget',
  49: 'rset',
  50: 'rsetq',
  51: 'rappend',
  52: 'rappendq',
  53: 'rprepend',
  54: 'rprependq',
  55: 'rdelete',
  56: 'rdeleteq',
  57: 'rincr',
  58: 'rincrq',
  59: 'rdecr',
  60: 'rdecrq',
  61: 'set_vbucket',
  62: 'get_vbucket',
  63: 'del_vbucket',
}

const STATUS: Readonly<Record<number, string | undefined>> = {
  0: 'OK',
  1: 'KEY_NOT_FOUND',
  2: 'KEY_EXISTS',
  3: 'VALUE_TOO_LARGE',
  4: 'INVALID_ARGUMENTS',
  5: 'NOT_STORED',
  6: 'NON_NUMERIC',
  7: 'NOT_MY_VBUCKET',
  32: 'AUTH_ERROR',
  33: 'AUTH_CONTINUE',
  129: 'UNKNOWN_COMMAND',
  130: 'OUT_OF_MEMORY',
  131: 'NOT_SUPPORTED',
  132: 'INTERNAL_ERROR',
  133: 'BUSY',
  134: 'TEMPORARY_FAILURE',
}

/** What is no more than a no: a miss, a lost race, a further step. */
const ORDINARY = new Set([0, 1, 2, 5, 33])

export const STAT = 16
export const HEADER = 24
export const REQUEST = 0x80
export const RESPONSE = 0x81

export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? `0x${opcode.toString(16).padStart(2, '0')}`
}

export function isKnownOpcode(opcode: number): boolean {
  return NAMES[opcode] !== undefined
}

export function isQuiet(opcode: number): boolean {
  return NAMES[opcode]?.endsWith('q') === true
}

/** Quiet ones say nothing of a miss; all others nothing of success. */
export function asksForValue(opcode: number): boolean {
  const name = opcodeName(opcode)
  return name.startsWith('get') || name.startsWith('gat')
}

export function isSasl(opcode: number): boolean {
  return opcode === 33 || opcode === 34
}

export function isKnownStatus(status: number): boolean {
  return STATUS[status] !== undefined
}

export function statusName(status: number): string {
  return STATUS[status] ?? `0x${status.toString(16).padStart(4, '0')}`
}

export function isFailure(status: number): boolean {
  return !ORDINARY.has(status)
}

/** Whether a request of that kind may have so many bytes of extras. */
export function fitsExtras(opcode: number, extras: number): boolean {
  switch (opcodeName(opcode).replace(/q$/, '')) {
    case 'set':
    case 'add':
    case 'replace':
      return extras === 8
    case 'increment':
    case 'decrement':
      return extras === 20
    case 'touch':
    case 'gat':
    case 'gatk':
    case 'verbosity':
      return extras === 4
    case 'flush':
      return extras === 0 || extras === 4
    default:
      return opcode >= 48 || extras === 0
  }
}
