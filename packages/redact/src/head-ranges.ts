import type { Detector } from './detectors.ts'

/** The values of header fields of these names, lines that continue them included. */
export function headerDetector(names: readonly string[]): Detector {
  if (names.length === 0) return () => {}
  const one = new RegExp(
    `^(?:${names.map(escaped).join('|')})[ \\t]*:[ \\t]*([^\\r\\n]*(?:\\r?\\n[ \\t][^\\r\\n]*)*)`,
    'gim',
  )
  return (text, into) => {
    for (const { 0: all, 1: value, index } of text.matchAll(one)) {
      const from = index + all.length - value!.length
      // Line ends stay, or the next line would become a part of this one.
      for (const { 0: part, index: at } of value!.matchAll(/[^\r\n]+/g))
        into.push(from + at, from + at + part.length)
    }
  }
}

/** The values of header fields of these names in an argument of a command, up to its end or to a quote. */
export function argumentDetector(names: readonly string[]): Detector {
  if (names.length === 0) return () => {}
  const one = new RegExp(`(?:${names.map(escaped).join('|')})[ \\t]*:[ \\t]*([^'"\\r\\n]*)`, 'gi')
  return (text, into) => {
    for (const { 0: all, 1: value, index } of text.matchAll(one))
      into.push(index + all.length - value!.length, index + all.length)
  }
}

/** RFC 3986 allows a single quote in a query; a double quote, a blank and angle brackets end an address. */
const IN_ADDRESS = /[^&;#\s"<>]*/y
const NAMES = /(?:[?&;]|^)([^=&;?#\s"<>]+)=/g

/** The values of parameters of these names: after `?`, `&` or `;`, or at the beginning of a form. */
export function parameterDetector(names: readonly string[], value = IN_ADDRESS): Detector {
  if (names.length === 0) return () => {}
  const wanted = named(names)
  return (text, into) => {
    for (const { 0: all, 1: name, index } of text.matchAll(NAMES)) {
      if (!wanted(unescaped(name!))) continue
      value.lastIndex = index + all.length
      const found = value.exec(text)?.[0] ?? ''
      into.push(index + all.length, index + all.length + found.length)
    }
  }
}

/** Whether a name is one of these, in any case. */
export function named(names: readonly string[]): (name: string) => boolean {
  const known = new Set(names.map((name) => name.toLowerCase()))
  return (name) => known.has(name.toLowerCase())
}

/** The decoded name: `user%5Bpassword%5D` is `user[password]`. */
function unescaped(name: string): string {
  if (!/[%+]/.test(name)) return name
  try {
    return decodeURIComponent(name.replaceAll('+', ' '))
  } catch {
    return name
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
