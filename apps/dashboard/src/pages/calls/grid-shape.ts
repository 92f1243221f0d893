/** What a row needs in one line with narrow columns, and how much more where it says the day. */
const MEDIUM_PX = 684
const DAY_PX = 34
/** With wide columns. */
const WHOLE_PX = 880

/** How rows are laid out in a list of this width: wide, narrow columns, or in two lines. */
export function gridShape(width: number | undefined, isDated: boolean): '' | ' medium' | ' narrow' {
  if (width === undefined || width >= WHOLE_PX) return ''
  return width < MEDIUM_PX + (isDated ? DAY_PX : 0) ? ' narrow' : ' medium'
}
