import { utf8 } from '../../text/text.ts'
import type { BerReader } from './ber.ts'

/** Filters nested deeper are shown as `(…)`. */
const MAX_DEPTH = 24
const EQUALITY: Readonly<Record<number, string>> = { 0xa3: '=', 0xa5: '>=', 0xa6: '<=', 0xa8: '~=' }

/** The filter that `reader` has just read, in the notation of RFC 4515. */
export function readFilter(reader: BerReader, depth = 0): string {
  if (depth > MAX_DEPTH) return '(…)'
  switch (reader.tag) {
    case 0xa0:
      return `(&${list(reader.inside(), depth)})`
    case 0xa1:
      return `(|${list(reader.inside(), depth)})`
    case 0xa2:
      return `(!${list(reader.inside(), depth)})`
    case 0xa4:
      return substrings(reader.inside())
    case 0x87:
      return `(${reader.text()}=*)`
    case 0xa9:
      return extensible(reader.inside())
    default: {
      const sign = EQUALITY[reader.tag]
      if (sign === undefined) return '(?)'
      const pair = reader.inside()
      const name = pair.next() ? pair.text() : ''
      return `(${name}${sign}${pair.next() ? escaped(pair) : ''})`
    }
  }
}

function list(items: BerReader, depth: number): string {
  let text = ''
  while (items.next()) text += readFilter(items, depth + 1)
  return text
}

function substrings(inside: BerReader): string {
  const name = inside.next() ? inside.text() : ''
  if (!inside.next()) return `(${name}=*)`
  const parts = inside.inside()
  let text = ''
  let last = 0x81
  while (parts.next()) {
    text += parts.tag === 0x80 ? escaped(parts) : `*${escaped(parts)}`
    last = parts.tag
  }
  return `(${name}=${text}${last === 0x82 ? '' : '*'})`
}

function extensible(inside: BerReader): string {
  let rule = ''
  let name = ''
  let value = ''
  let dn = ''
  while (inside.next()) {
    if (inside.tag === 0x81) rule = `:${inside.text()}`
    else if (inside.tag === 0x82) name = inside.text()
    else if (inside.tag === 0x83) value = escaped(inside)
    else if (inside.tag === 0x84 && inside.boolean()) dn = ':dn'
  }
  return `(${name}${dn}${rule}:=${value})`
}

function escaped(reader: BerReader): string {
  const content = reader.content()
  const text = utf8(content)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: RFC 4515 §3 names these
  if (text !== undefined) return text.replace(/[\x00()*\\]/g, (char) => hex(char.charCodeAt(0)))
  return Array.from(content, hex).join('')
}

function hex(byte: number): string {
  return `\\${byte.toString(16).padStart(2, '0')}`
}
