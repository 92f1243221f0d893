import type { Detector } from './detectors.ts'

/** A text in another spelling, and where each of its characters began in the given one; last, where that ends. */
interface View {
  readonly text: string
  readonly at: readonly number[]
}

const ESCAPED = /%[0-9A-Fa-f]{2}|\+/

/**
 * Also looks at the decoded form of an address or a form: `joe%40example.com`, `4111+1111+1111+1111`. What
 * is found there goes with its escapes.
 */
export function throughEscapes(detect: Detector): Detector {
  return (text, into) => {
    detect(text, into)
    if (ESCAPED.test(text)) detectIn(unescaped(text), detect, into)
  }
}

/** For a text in which a character is a byte: looks for what is more than one byte in UTF-8. */
export function throughUtf8(detect: Detector): Detector {
  return (text, into) => {
    const view = utf8(text)
    if (view) detectIn(view, detect, into)
    else detect(text, into)
  }
}

function detectIn({ text, at }: View, detect: Detector, into: number[]): void {
  const found: number[] = []
  detect(text, found)
  for (const place of found) into.push(at[place]!)
}

/** RFC 3986 §2.1, with the blank of application/x-www-form-urlencoded. */
function unescaped(text: string): View {
  const units: string[] = []
  const at: number[] = []
  for (let i = 0; i < text.length; ) {
    at.push(i)
    const isEscape = text[i] === '%' && ESCAPED.test(text.slice(i, i + 3)) && text[i + 1] !== '+'
    if (isEscape) units.push(String.fromCharCode(Number.parseInt(text.slice(i + 1, i + 3), 16)))
    else units.push(text[i] === '+' ? ' ' : text[i]!)
    i += isEscape ? 3 : 1
  }
  at.push(text.length)
  return { text: units.join(''), at }
}

/** Undefined where there is nothing but ASCII. A byte that is no part of a character stays what it is. */
function utf8(text: string): View | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII
  if (/^[\u0000-\u007f]*$/.test(text)) return undefined
  const bytes = Buffer.from(text, 'latin1')
  const units: string[] = []
  const at: number[] = []
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i]!
    const length = first < 0xc2 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
    const character = bytes.toString('utf8', i, i + length)
    const isWhole = length > 1 && !character.includes('\ufffd')
    const unit = isWhole ? character : String.fromCharCode(first)
    for (let j = 0; j < unit.length; j++) at.push(i)
    units.push(unit)
    i += isWhole ? length : 1
  }
  at.push(bytes.length)
  return { text: units.join(''), at }
}
