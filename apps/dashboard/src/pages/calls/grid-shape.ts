/** What a row needs in one line without the source, and how much more where it says the day. */
const MEDIUM_PX = 640
const DAY_PX = 34
/** With the source as well. */
const WHOLE_PX = 880

/** How rows are laid out in a list of this width: whole, without the source, or in two lines. */
export function gridShape(width: number | undefined, isDated: boolean): '' | ' medium' | ' narrow' {
  if (width === undefined || width >= WHOLE_PX) return ''
  return width < MEDIUM_PX + (isDated ? DAY_PX : 0) ? ' narrow' : ' medium'
}
