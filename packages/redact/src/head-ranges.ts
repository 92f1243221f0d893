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

/** The values of parameters of these names: after `?`, `&` or `;`, or at the beginning of a form. */
export function parameterDetector(names: readonly string[]): Detector {
  if (names.length === 0) return () => {}
  const one = new RegExp(`(?:[?&;]|^)(?:${names.map(escaped).join('|')})=([^&;#\\s"'<>]*)`, 'gi')
  return (text, into) => {
    for (const { 0: all, 1: value, index } of text.matchAll(one))
      into.push(index + all.length - value!.length, index + all.length)
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
