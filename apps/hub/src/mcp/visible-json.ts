/**
 * Characters that change how text looks and are not seen themselves: C1 controls, soft hyphens, zero-width and
 * bidirectional controls (UAX #9), line separators, variation selectors, interlinear marks and tags.
 */
const INVISIBLE =
  /[\p{Cf}\p{Zl}\p{Zp}\u007f-\u009f\p{Variation_Selector}\u115f\u1160\u17b4\u17b5\u3164\uffa0]|\u034f|\p{Default_Ignorable_Code_Point}/gu

/**
 * JSON in which every control, bidirectional or invisible character is an escape such as \u202e. It means the same to a
 * parser, and shows such characters to a reader. JSON itself escapes what is below U+0020, and single surrogates.
 */
export function visibleJson(value: unknown): string {
  return JSON.stringify(value).replace(INVISIBLE, (text) =>
    Array.from(
      { length: text.length },
      (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}
