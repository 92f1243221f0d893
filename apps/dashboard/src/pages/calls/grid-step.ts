/** The row a key leads to from another, or nothing where the key is none of the grid's. From no row, the first. */
export function stepOf(key: string, from: number, rows: number, pageRows: number): number | undefined {
  const to = target(key, from, rows, pageRows)
  if (to === undefined || rows === 0) return undefined
  return Math.min(rows - 1, Math.max(0, to))
}

function target(key: string, from: number, rows: number, pageRows: number): number | undefined {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return from + 1
    case 'ArrowUp':
    case 'k':
      return from < 0 ? 0 : from - 1
    case 'PageDown':
      return Math.max(from, 0) + pageRows
    case 'PageUp':
      return from - pageRows
    case 'Home':
    case 'g':
      return 0
    case 'End':
    case 'G':
      return rows - 1
    default:
      return undefined
  }
}
