import { isWord, locate, type Span } from './arguments.ts'

const STAR = 0x2a
const MAX_ARGUMENTS = 256
const SETTINGS = ['requirepass', 'masterauth', 'tls-key-file-pass', 'tls-client-key-file-pass']
/** Of SENTINEL SET and SENTINEL CONFIG SET. */
const SENTINEL_SETTINGS = ['auth-pass', 'sentinel-pass']
const span: Span = { start: 0, end: 0 }

/**
 * Overwrites secrets before they are kept: the passwords of AUTH, HELLO, MIGRATE, CONFIG SET, SENTINEL SET and
 * ACL SETUSER. The command is `bytes[from, to)`, a copy of our own; `verbStart` and `verbEnd` say where its verb stands.
 */
export function hideSecrets(
  bytes: Uint8Array,
  from: number,
  to: number,
  verbStart: number,
  verbEnd: number,
): void {
  switch (verbEnd - verbStart) {
    case 3:
      if (isWord(bytes, verbStart, verbEnd, 'acl')) hideRules(bytes, from, to)
      return
    case 4:
      if (isWord(bytes, verbStart, verbEnd, 'auth'))
        hideFrom(bytes, from, to, locate(bytes, from, to, 2, span) ? 2 : 1)
      return
    case 5:
      if (isWord(bytes, verbStart, verbEnd, 'hello')) hideAfter(bytes, from, to, 'auth', 2)
      return
    case 6:
      if (isWord(bytes, verbStart, verbEnd, 'config')) hideSettings(bytes, from, to)
      return
    case 7:
      if (!isWord(bytes, verbStart, verbEnd, 'migrate')) return
      hideAfter(bytes, from, to, 'auth', 1)
      hideAfter(bytes, from, to, 'auth2', 2)
      return
    case 8:
      if (isWord(bytes, verbStart, verbEnd, 'sentinel'))
        for (const name of SENTINEL_SETTINGS) hideAfter(bytes, from, to, name, 1)
  }
}

function hide(bytes: Uint8Array, from: number, to: number, index: number): boolean {
  if (!locate(bytes, from, to, index, span)) return false
  bytes.fill(STAR, span.start, span.end)
  return true
}

function hideFrom(bytes: Uint8Array, from: number, to: number, first: number): void {
  for (let i = first; i < MAX_ARGUMENTS && hide(bytes, from, to, i); i++);
}

/** The argument that stands `distance` after a word. */
function hideAfter(bytes: Uint8Array, from: number, to: number, lower: string, distance: number): void {
  for (let i = 1; i < MAX_ARGUMENTS && locate(bytes, from, to, i, span); i++)
    if (isWord(bytes, span.start, span.end, lower)) hide(bytes, from, to, i + distance)
}

/** CONFIG SET takes names and values by turns. */
function hideSettings(bytes: Uint8Array, from: number, to: number): void {
  for (let i = 2; i < MAX_ARGUMENTS && locate(bytes, from, to, i, span); i += 2)
    if (SETTINGS.some((name) => isWord(bytes, span.start, span.end, name))) hide(bytes, from, to, i + 1)
}

/** In ACL SETUSER `>` and `<` go before passwords, `#` and `!` before their hashes. */
function hideRules(bytes: Uint8Array, from: number, to: number): void {
  for (let i = 3; i < MAX_ARGUMENTS && locate(bytes, from, to, i, span); i++) {
    const mark = bytes[span.start]
    if (mark === 0x3e || mark === 0x3c || mark === 0x23 || mark === 0x21)
      bytes.fill(STAR, span.start + 1, span.end)
  }
}
