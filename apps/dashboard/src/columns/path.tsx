import type { Column } from './column.ts'

export const pathColumn: Column = {
  id: 'path',
  title: 'Path',
  wide: { least: 120, share: 1.3 },
  medium: { least: 60, share: 1 },
  render: (call) => call.path,
  tooltip: (call) => call.path,
}
