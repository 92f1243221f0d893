import { createHash } from 'node:crypto'

const MAX_LENGTH = 200

/**
 * A file name for any node name: letters, digits, `-`, `_` and inner dots stay, each other
 * byte becomes `~` and two hex digits. Different names give different files, also on file systems that fold case.
 */
export function nodeFileName(node: string, suffix: string): string {
  let text = ''
  for (const byte of new TextEncoder().encode(node)) {
    const char = String.fromCharCode(byte)
    const plain = /[a-z0-9_-]/.test(char) || (char === '.' && text !== '')
    text += plain ? char : `~${byte.toString(16).padStart(2, '0')}`
  }
  if (text.length > MAX_LENGTH) {
    const hash = createHash('sha256').update(node).digest('hex').slice(0, 32)
    text = `${text.slice(0, MAX_LENGTH - 36)}~~${hash}`
  }
  return `${text === '' ? '~' : text}${suffix}`
}
