const STAR = 0x2a
const QUOTE = 0x22
const BACKSLASH = 0x5c
const SECRETS = ['pass', 'auth_token', 'jwt', 'sig']

/** Writes over the credentials in the options of a CONNECT. `line` is a copy of our own. */
export function hideSecrets(line: Uint8Array): void {
  for (let at = line.indexOf(QUOTE); at >= 0; at = line.indexOf(QUOTE, at)) {
    const nameEnd = closing(line, at + 1)
    if (nameEnd < 0) return
    const secret = SECRETS.some((name) => matches(line, at + 1, nameEnd, name))
    at = skipBlank(line, nameEnd + 1)
    if (line[at] !== 0x3a) continue
    at = skipBlank(line, at + 1)
    if (line[at] !== QUOTE) continue
    const found = closing(line, at + 1)
    // What is cut short is hidden to its end.
    const valueEnd = found < 0 ? line.length : found
    if (secret) line.fill(STAR, at + 1, valueEnd)
    at = valueEnd + 1
  }
}

function closing(line: Uint8Array, from: number): number {
  for (let at = from; at < line.length; at++) {
    if (line[at] === BACKSLASH) at++
    else if (line[at] === QUOTE) return at
  }
  return -1
}

function skipBlank(line: Uint8Array, from: number): number {
  let at = from
  while (at < line.length && line[at] <= 0x20) at++
  return at
}

function matches(line: Uint8Array, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false
  for (let i = 0; i < name.length; i++) if (line[start + i] !== name.charCodeAt(i)) return false
  return true
}
