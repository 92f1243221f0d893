/** Kinds of messages: §2.4 of the native protocol. */
export const OPCODE = {
  ERROR: 0x00,
  STARTUP: 0x01,
  READY: 0x02,
  AUTHENTICATE: 0x03,
  OPTIONS: 0x05,
  SUPPORTED: 0x06,
  QUERY: 0x07,
  RESULT: 0x08,
  PREPARE: 0x09,
  EXECUTE: 0x0a,
  REGISTER: 0x0b,
  EVENT: 0x0c,
  BATCH: 0x0d,
  AUTH_CHALLENGE: 0x0e,
  AUTH_RESPONSE: 0x0f,
  AUTH_SUCCESS: 0x10,
} as const

const NAMES: readonly (string | undefined)[] = namesOf()
const REQUESTS: ReadonlySet<number> = new Set([
  OPCODE.STARTUP,
  OPCODE.OPTIONS,
  OPCODE.QUERY,
  OPCODE.PREPARE,
  OPCODE.EXECUTE,
  OPCODE.REGISTER,
  OPCODE.BATCH,
  OPCODE.AUTH_RESPONSE,
])

function namesOf(): readonly (string | undefined)[] {
  const names: (string | undefined)[] = []
  for (const [name, opcode] of Object.entries(OPCODE)) names[opcode] = name
  return names
}

export function opcodeName(opcode: number): string {
  return NAMES[opcode] ?? `opcode ${opcode}`
}

/** May that side say this? */
export function isSaidBy(opcode: number, side: 0 | 1): boolean {
  return NAMES[opcode] !== undefined && REQUESTS.has(opcode) === (side === 0)
}

const KINDS: readonly (string | undefined)[] = [
  undefined,
  'Void',
  'Rows',
  'Set_keyspace',
  'Prepared',
  'Schema_change',
]

export const KIND = { VOID: 1, ROWS: 2, SET_KEYSPACE: 3, PREPARED: 4, SCHEMA_CHANGE: 5 } as const

/** What a RESULT is: §4.2.5. */
export function resultName(kind: number): string {
  return KINDS[kind] ?? `kind ${kind}`
}
