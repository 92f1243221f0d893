/** MongoDB wire protocol, "Opcodes". Those below 2012 were removed in 5.1 and 6.0; old clients still send them. */
export const OPCODE = {
  REPLY: 1,
  UPDATE: 2001,
  INSERT: 2002,
  QUERY: 2004,
  GET_MORE: 2005,
  DELETE: 2006,
  KILL_CURSORS: 2007,
  COMMAND: 2010,
  COMMAND_REPLY: 2011,
  COMPRESSED: 2012,
  MSG: 2013,
} as const

const NAMES: Readonly<Record<number, string | undefined>> = {
  1: 'OP_REPLY',
  2001: 'OP_UPDATE',
  2002: 'OP_INSERT',
  2004: 'OP_QUERY',
  2005: 'OP_GET_MORE',
  2006: 'OP_DELETE',
  2007: 'OP_KILL_CURSORS',
  2010: 'OP_COMMAND',
  2011: 'OP_COMMANDREPLY',
  2012: 'OP_COMPRESSED',
  2013: 'OP_MSG',
}

export function isOpcode(code: number): boolean {
  return NAMES[code] !== undefined
}

export function opcodeName(code: number): string {
  return NAMES[code] ?? `OP_${code}`
}

/** These are not answered; clients ask for the result with `getLastError`. */
export function isOneWay(code: number): boolean {
  return (
    code === OPCODE.UPDATE || code === OPCODE.INSERT || code === OPCODE.DELETE || code === OPCODE.KILL_CURSORS
  )
}

/** Whether a message answers another is said by its opcode; those for both say it by whom they answer. */
export function isReply(code: number, responseTo: number): boolean {
  if (code === OPCODE.REPLY || code === OPCODE.COMMAND_REPLY) return true
  // Some clients write -1 if it is not a reply.
  return (code === OPCODE.MSG || code === OPCODE.COMPRESSED) && responseTo !== 0 && responseTo !== -1
}
