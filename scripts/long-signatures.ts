/**
 * Signatures with more than `max` parameters, as text: of functions, methods, and types of functions. The lint rule sees
 * only what has a body, so interfaces would escape it.
 */
export function longSignatures(source: string, max: number): string[] {
  const text = withoutTexts(source)
  const found: string[] = []
  for (let open = text.indexOf('('); open >= 0; open = text.indexOf('(', open + 1)) {
    const parts = partsOf(text, open + 1)
    if (parts === undefined || parts.list.length <= max) continue
    const isSignature = /^\s*(:|=>)/.test(text.slice(parts.end + 1, parts.end + 20))
    if (isSignature && parts.list.every((part) => /^\s*(\.\.\.)?[\w$]+\??\s*:/.test(part)))
      found.push(text.slice(text.lastIndexOf('\n', open) + 1, parts.end + 1).replace(/\s+/g, ' '))
  }
  return found
}

/** What is between brackets, divided at the commas that are in no other brackets; undefined where they do not end. */
function partsOf(text: string, start: number): { list: string[]; end: number } | undefined {
  const list: string[] = []
  let depth = 0
  let from = start
  for (let at = start; at < text.length; at++) {
    const sign = text[at]!
    if ('([{<'.includes(sign)) depth++
    else if (sign === '>' && text[at - 1] === '=') continue
    else if (')]}>'.includes(sign)) {
      if (depth-- > 0) continue
      const last = text.slice(from, at)
      return { list: last.trim() === '' ? list : [...list, last], end: at }
    } else if (sign === ',' && depth === 0) {
      list.push(text.slice(from, at))
      from = at + 1
    }
  }
  return undefined
}

/** Comments and quoted texts hold brackets that mean nothing. */
function withoutTexts(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"/g, '')
}
