/** Browsers differ in when they have read the text. */
const KEPT_MS = 60_000

/** Lets the browser save a text as a file. */
export function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text]))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS)
}
