import { visiblePlainText } from '@tapdeck/api/visible-text'
import type { Column } from './column.ts'

export const pathColumn: Column = {
  id: 'path',
  title: 'Path',
  wide: { least: 120, share: 1.3 },
  medium: { least: 60, share: 1 },
  render: ({ path }) => path && visiblePlainText(path),
  tooltip: ({ path }) => path && visiblePlainText(path),
}
