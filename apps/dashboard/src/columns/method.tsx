import type { Column } from './column.ts'

export const methodColumn: Column = {
  id: 'method',
  title: 'Method',
  render: (call) => call.method,
  tooltip: (call) => call.method,
}
