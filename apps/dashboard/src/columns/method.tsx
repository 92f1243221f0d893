import type { Column } from './column.ts'

export const methodColumn: Column = {
  id: 'method',
  title: 'Method',
  wide: { least: 82 },
  medium: { least: 58 },
  render: (call) => call.method,
  tooltip: (call) => call.method,
}
