import { type JsonPath, leadsTo } from './json-path.ts'
import type { Ranges } from './ranges.ts'

/** Documents that are nested more deeply are masked completely. */
const DEEPEST = 64

/**
 * The scalars of a JSON text at or below one of the paths: texts without their quotes, and numbers and
 * words whole. It reads what there is: a document that was cut off is masked as far as it goes.
 */
export function jsonRanges(text: string, paths: readonly JsonPath[], into: Ranges): void {
  const keys: string[] = []
  /** Of each open bracket: the number of the element it is at, or -1 in an object. */
  const counts: number[] = []
  const hidden = () => keys.length > DEEPEST || paths.some((path) => leadsTo(path, keys))
  let name: string | undefined
  const enter = () => {
    const count = counts.at(-1)
    if (count === undefined) return
    keys.push(count < 0 ? (name ?? '') : String(count))
    name = undefined
  }
  const leave = () => {
    if (counts.length > 0) keys.pop()
  }
  for (let at = 0; at < text.length; ) {
    const character = text[at]!
    if (character === '{' || character === '[') {
      enter()
      counts.push(character === '{' ? -1 : 0)
      at++
    } else if (character === '}' || character === ']') {
      counts.pop()
      leave()
      at++
    } else if (character === ',') {
      const count = counts.at(-1)
      if (count !== undefined && count >= 0) counts[counts.length - 1] = count + 1
      at++
    } else if (character === '"') {
      const end = stringEnd(text, at)
      if (counts.at(-1) === -1 && name === undefined && isName(text, end)) {
        name = unquoted(text.slice(at, end))
      } else {
        enter()
        if (hidden()) into.push(at + 1, text[end - 1] === '"' && end > at + 1 ? end - 1 : end)
        leave()
      }
      at = end
    } else if (/[-\w]/.test(character)) {
      let end = at
      while (end < text.length && /[-+.\w]/.test(text[end]!)) end++
      enter()
      if (hidden()) into.push(at, end)
      leave()
      at = end
    } else at++
  }
}

/** A text that a colon follows, however far away. */
function isName(text: string, end: number): boolean {
  let at = end
  while (/[ \t\r\n]/.test(text[at] ?? '')) at++
  return text[at] === ':'
}

function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at + 1
  }
  return text.length
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text))
  } catch {
    return text.slice(1, -1)
  }
}
