/** `window-1118-013105`: what it is and when it begins, in the reader's zone. */
export function windowName(what: 'window' | 'packets', start: number): string {
  const date = new Date(start)
  const two = (value: number) => String(value).padStart(2, '0')
  const day = two(date.getMonth() + 1) + two(date.getDate())
  return `${what}-${day}-${two(date.getHours())}${two(date.getMinutes())}${two(date.getSeconds())}`
}
