const PLAIN = /^[A-Za-z\d][\w@%+=:,./-]*$/
/** Keys of a terminal (C0, DEL, C1), and characters that hide or reorder text: a pasted command must be what it looks like. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164]/u
const NAMED: Readonly<Record<string, string>> = {
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\\': '\\\\',
  "'": "\\'",
}
const ESCAPED = new RegExp(`[\\\\'!]|${UNSEEN.source}`, 'gu')

/**
 * Text as one word of a shell, whatever is in it; bytes that a terminal would act on are escaped (`$'…'` of bash, zsh and
 * POSIX 2024). No argument of a program can contain NUL: the caller excludes it.
 */
export function shellWord(text: string): string {
  if (PLAIN.test(text)) return text
  if (!UNSEEN.test(text)) return `'${text.replaceAll("'", `'\\''`)}'`
  return `$'${text.replace(ESCAPED, (one) => NAMED[one] ?? octal(one))}'`
}

function octal(character: string): string {
  const bytes = [...new TextEncoder().encode(character)]
  return bytes.map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('')
}
