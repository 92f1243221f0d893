type SetValue = string | number | boolean | null | SetValue[]

/** One `path=value` of a `--set`. Numbers in the path are places in a list. */
export interface Assignment {
  readonly path: readonly (string | number)[]
  readonly value: SetValue
}

const mostItems = 65_536

/**
 * Helm's `--set` notation: `a.b=c,d={x,y},e[0].f=1`, with `\` before a dot, comma, equals sign or bracket that is
 * meant literally. Without `asText`, true, false, null and whole numbers are read as such. Throws with what is wrong.
 */
export function parseSet(text: string, asText = false): Assignment[] {
  const assignments: Assignment[] = []
  let at = 0
  while (at < text.length) {
    const key = readKey(text, at)
    const value =
      text[key.end] === '{' ? readList(text, key.end + 1, asText) : readScalar(text, key.end, asText)
    assignments.push({ path: key.path, value: value.value })
    at = value.end
    if (at < text.length && text[at] !== ',') throw new Error(`expected a comma at ${at + 1} of ${text}`)
    at++
  }
  if (assignments.length === 0) throw new Error('expected key=value')
  return assignments
}

function readKey(text: string, start: number): { path: (string | number)[]; end: number } {
  const path: (string | number)[] = []
  let at = start
  for (;;) {
    const word = readUntil(text, at, '.=[,')
    const stop = text[word.end]
    if (stop === undefined || stop === ',') throw new Error(`key ${text.slice(start, word.end)} has no value`)
    // Nothing is allowed between a closing bracket and the next character.
    if (word.text === '' && typeof path.at(-1) !== 'number')
      throw new Error(`a part of the key is empty at ${at + 1} of ${text}`)
    if (word.text !== '') path.push(word.text)
    at = word.end + 1
    if (stop === '=') return { path, end: at }
    if (stop !== '[') continue
    const place = readUntil(text, at, ']')
    if (!/^\d+$/.test(place.text) || text[place.end] !== ']' || Number(place.text) >= mostItems)
      throw new Error(`expected a place in a list such as [0] at ${at} of ${text}`)
    path.push(Number(place.text))
    at = place.end + 1
    if (text[at] === '.') at++
    else if (text[at] === '=') return { path, end: at + 1 }
    else if (text[at] !== '[') throw new Error(`expected = or . after ] at ${at + 1} of ${text}`)
  }
}

function readScalar(text: string, start: number, asText: boolean): { value: SetValue; end: number } {
  const word = readUntil(text, start, ',')
  return { value: asText ? word.text : typed(word.text), end: word.end }
}

function readList(text: string, start: number, asText: boolean): { value: SetValue[]; end: number } {
  const items: SetValue[] = []
  let at = start
  for (;;) {
    const word = readUntil(text, at, ',}')
    if (word.end === text.length) throw new Error(`the list at ${start} of ${text} has no closing }`)
    const isEmptyList = items.length === 0 && word.text === '' && text[word.end] === '}'
    if (!isEmptyList) items.push(asText ? word.text : typed(word.text))
    at = word.end + 1
    if (text[word.end] === '}') return { value: items, end: at }
  }
}

function readUntil(text: string, start: number, stops: string): { text: string; end: number } {
  let word = ''
  let at = start
  for (; at < text.length && !stops.includes(text[at]!); at++) {
    if (text[at] === '\\' && at + 1 < text.length) at++
    word += text[at]
  }
  return { text: word, end: at }
}

function typed(text: string): SetValue {
  if (text === 'true' || text === 'false') return text === 'true'
  if (text === 'null') return null
  return /^-?(0|[1-9]\d{0,14})$/.test(text) ? Number(text) : text
}
