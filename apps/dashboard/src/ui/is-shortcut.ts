/** An unhandled key without modifiers, pressed outside of text fields and dialogs. */
export function isShortcut(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return false
  return !(
    event.target instanceof Element && event.target.closest('input, select, textarea, dialog') !== null
  )
}
