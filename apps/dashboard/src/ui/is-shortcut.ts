/** A bare key that nobody has taken yet, pressed where no text is written and no question is open. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  return !(
    event.target instanceof Element && event.target.closest('input, select, textarea, dialog') !== null
  )
}
