import { latin1, word } from '../../text/text.ts'
import { Elements, TYPE } from './bson.ts'
import { stringAt } from './bson-value.ts'
import { layoutOf } from './layout.ts'
import { OPCODE } from './opcode.ts'

/** What a request asks for. */
export interface Command {
  command?: string
  database?: string
  collection?: string
  /** It came as a message of its own: the documents of its reply are data, and say nothing of how it went. */
  legacy?: boolean
}

/** The first value of these is a text, but no collection. */
const NO_COLLECTION = new Set(
  (
    'createUser updateUser dropUser grantRolesToUser revokeRolesFromUser usersInfo createRole updateRole dropRole ' +
    'grantPrivilegesToRole revokePrivilegesFromRole grantRolesToRole revokeRolesFromRole rolesInfo getLog ' +
    'configureFailPoint setFeatureCompatibilityVersion enableSharding addShard removeShard getParameter ' +
    'setParameter replSetSyncFrom replSetHeartbeat replSetRequestVotes movePrimary profile saslStart saslContinue authenticate dropDatabase'
  ).split(' '),
)
/** The first value of these is `database.collection`. */
const FULL_NAME = new Set(
  'renameCollection shardCollection reshardCollection moveChunk moveRange split mergeChunks refineCollectionShardKey'.split(
    ' ',
  ),
)

/** Drivers report legacy messages as the commands that took their place (Command Monitoring specification). */
const LEGACY: Readonly<Record<number, string | undefined>> = {
  [OPCODE.UPDATE]: 'update',
  [OPCODE.INSERT]: 'insert',
  [OPCODE.QUERY]: 'find',
  [OPCODE.GET_MORE]: 'getMore',
  [OPCODE.DELETE]: 'delete',
  [OPCODE.KILL_CURSORS]: 'killCursors',
}

/** Reads the payload `bytes[start, end)` of a request. */
export function readCommand(opcode: number, bytes: Uint8Array, start: number, end: number): Command {
  const { nameStart, nameEnd, document } = layoutOf(opcode, bytes, start, end)
  const result: Command = {}
  if (opcode === OPCODE.MSG) {
    if (document >= 0) readBody(bytes, document, end, result)
    return result
  }
  if (nameEnd >= 0 && opcode !== OPCODE.COMMAND) nameSpace(word(bytes, nameStart, nameEnd), result)
  if (opcode === OPCODE.COMMAND && nameEnd >= 0) {
    result.database = word(bytes, nameStart, nameEnd)
    if (document > 0) result.command = latin1(bytes, nameEnd + 1, document - 1)
    return result
  }
  if (opcode === OPCODE.QUERY && result.collection === '$cmd') {
    delete result.collection
    if (document >= 0) readBody(bytes, document, end, result)
    return result
  }
  const legacy = LEGACY[opcode]
  if (legacy !== undefined) {
    result.command = legacy
    result.legacy = true
  }
  return result
}

function nameSpace(name: string, into: Command): void {
  const dot = name.indexOf('.')
  if (name === '') return
  into.database = dot < 0 ? name : name.slice(0, dot)
  if (dot >= 0) into.collection = name.slice(dot + 1)
}

/** The first key is the command; its value, where it is a text, mostly the collection. */
function readBody(bytes: Uint8Array, start: number, end: number, into: Command): void {
  const elements = new Elements(bytes, start, end)
  if (!elements.next()) return
  const wrapped = elements.type === TYPE.DOCUMENT && (elements.is('$query') || elements.is('query'))
  if (wrapped) {
    readBody(bytes, elements.value, elements.stop, into)
    return
  }
  const command = word(bytes, elements.nameStart, elements.nameEnd)
  into.command = command
  if (elements.type === TYPE.STRING && elements.whole)
    readSubject(command, stringAt(bytes, elements.value, elements.stop), into)
  else if (command === 'explain' && elements.type === TYPE.DOCUMENT) {
    const inner = new Elements(bytes, elements.value, elements.stop)
    if (inner.next() && inner.type === TYPE.STRING && inner.whole)
      into.collection = stringAt(bytes, inner.value, inner.stop)
  }
  while (elements.next()) {
    if (elements.type !== TYPE.STRING || !elements.whole) continue
    if (elements.is('$db')) into.database ??= stringAt(bytes, elements.value, elements.stop)
    else if (command === 'getMore' && elements.is('collection'))
      into.collection = stringAt(bytes, elements.value, elements.stop)
  }
}

function readSubject(command: string, subject: string, into: Command): void {
  if (NO_COLLECTION.has(command) || subject === '') return
  if (FULL_NAME.has(command)) {
    delete into.database
    nameSpace(subject, into)
  } else into.collection = subject
}
