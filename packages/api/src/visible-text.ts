/**
 * Characters that change how text looks and are not seen themselves: DEL and C1 controls (U+009B is the same as ESC [ on
 * some terminals), soft hyphens, zero-width and bidirectional controls (UAX #9), line separators, variation selectors,
 * interlinear marks and tags.
 */
const INVISIBLE =
  /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f\p{Variation_Selector}\u115f\u1160\u17b4\u17b5\u3164\uffa0]|\u034f|\p{Default_Ignorable_Code_Point}/gu
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is escaped
const C0 = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]|\r(?!\n)/g

/**
 * Text in which each bidirectional or invisible character is an escape such as \u202e. In JSON it means the same to a
 * parser. Characters below U+0020 stay: JSON escapes them itself.
 */
export function visibleText(text: string): string {
  return text.replace(INVISIBLE, escaped)
}

/** The same for text that is not JSON: controls below U+0020 are escaped too, except tabs and line ends; a CR alone would overwrite a line. */
export function visiblePlainText(text: string): string {
  return visibleText(text).replace(C0, escaped)
}

function escaped(character: string): string {
  return Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')
}
