import { isWord, locate, type Span } from './arguments.ts'

const STAR = 0x2a
const MOST_ARGUMENTS = 256
const SETTINGS = ['requirepass', 'masterauth', 'tls-key-file-pass', 'tls-client-key-file-pass']
const span: Span = { start: 0, end: 0 }

/**
 * Writes over what nobody may see, before it is kept: the passwords of AUTH, HELLO, MIGRATE, CONFIG SET and
 * ACL SETUSER. `verbStart` and `verbEnd` say where the verb stands in `head`, which is a copy of our own.
 */
export function hideSecrets(head: Uint8Array, verbStart: number, verbEnd: number): void {
  switch (verbEnd - verbStart) {
    case 3:
      if (isWord(head, verbStart, verbEnd, 'acl')) hideRules(head)
      return
    case 4:
      if (isWord(head, verbStart, verbEnd, 'auth')) hideFrom(head, has(head, 2) ? 2 : 1)
      return
    case 5:
      if (isWord(head, verbStart, verbEnd, 'hello')) hideAfter(head, 'auth', 2)
      return
    case 6:
      if (isWord(head, verbStart, verbEnd, 'config')) hideSettings(head)
      return
    case 7:
      if (!isWord(head, verbStart, verbEnd, 'migrate')) return
      hideAfter(head, 'auth', 1)
      hideAfter(head, 'auth2', 2)
  }
}

function has(head: Uint8Array, index: number): boolean {
  return locate(head, index, span)
}

function hide(head: Uint8Array, index: number): boolean {
  if (!locate(head, index, span)) return false
  head.fill(STAR, span.start, span.end)
  return true
}

function hideFrom(head: Uint8Array, first: number): void {
  for (let i = first; i < MOST_ARGUMENTS && hide(head, i); i++);
}

/** The argument that stands `distance` after a word. */
function hideAfter(head: Uint8Array, lower: string, distance: number): void {
  for (let i = 1; i < MOST_ARGUMENTS && has(head, i); i++)
    if (isWord(head, span.start, span.end, lower)) hide(head, i + distance)
}

/** CONFIG SET takes names and values by turns. */
function hideSettings(head: Uint8Array): void {
  for (let i = 2; i < MOST_ARGUMENTS && has(head, i); i += 2)
    if (SETTINGS.some((name) => isWord(head, span.start, span.end, name))) hide(head, i + 1)
}

/** In ACL SETUSER `>` and `<` go before passwords, `#` and `!` before their hashes. */
function hideRules(head: Uint8Array): void {
  for (let i = 3; i < MOST_ARGUMENTS && has(head, i); i++) {
    const mark = head[span.start]
    if (mark === 0x3e || mark === 0x3c || mark === 0x23 || mark === 0x21)
      head.fill(STAR, span.start + 1, span.end)
  }
}
