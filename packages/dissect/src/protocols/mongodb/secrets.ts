import { Elements, TYPE } from './bson.ts'
import { layoutOf } from './layout.ts'
import { OPCODE } from './opcode.ts'

const STAR = 0x2a
const SECRETS = ['payload', 'pwd', 'key', 'nonce', 'digestPassword']
/** Commands whose requests carry a secret. */
const SECRETIVE = new Set([
  'saslStart',
  'saslContinue',
  'authenticate',
  'getnonce',
  'createUser',
  'updateUser',
  'copydb',
  'copydbgetnonce',
  'copydbsaslstart',
])

/**
 * Overwrites secrets before they are kept: the payloads of SASL, the passwords of users. `bytes` is a
 * copy of our own, a payload without its header. Without a `command` it is a reply.
 */
export function hideSecrets(opcode: number, bytes: Uint8Array, command: string | undefined): void {
  const { document } = layoutOf(opcode, bytes, 0, bytes.length)
  if (document < 0) return
  hideIn(bytes, document, bytes.length, command !== undefined && SECRETIVE.has(command))
  // Versions have its two documents in either order.
  if (opcode === OPCODE.COMMAND || opcode === OPCODE.COMMAND_REPLY) {
    const next = new Elements(bytes, document, bytes.length)
    while (next.next());
    if (next.stop + 6 <= bytes.length)
      hideIn(bytes, next.stop + 1, bytes.length, command !== undefined && SECRETIVE.has(command))
  }
}

/** Replies of SASL are recognised by their `conversationId`, which precedes the payload. */
function hideIn(bytes: Uint8Array, start: number, end: number, secretive: boolean): void {
  const elements = new Elements(bytes, start, end)
  let hides = secretive
  while (elements.next()) {
    const { type, value, stop } = elements
    if (type === TYPE.DOCUMENT) {
      if (elements.is('speculativeAuthenticate')) hideIn(bytes, value, stop, true)
      else if (elements.is('$query') || elements.is('query')) hideIn(bytes, value, stop, secretive)
    } else if (elements.is('conversationId')) hides = true
    else if (hides && SECRETS.some((name) => elements.is(name))) {
      if (type === TYPE.STRING) bytes.fill(STAR, Math.min(stop, value + 4), elements.whole ? stop - 1 : stop)
      else if (type === TYPE.BINARY) bytes.fill(STAR, Math.min(stop, value + 5), stop)
    }
  }
}
