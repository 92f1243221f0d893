import type { Column } from './column.ts'

export const pathColumn: Column = {
  id: 'path',
  title: 'Path',
  render: (call) => call.path,
  tooltip: (call) => call.path,
}
