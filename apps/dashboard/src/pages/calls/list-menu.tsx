import './list-menu.css'
import { Icon } from '../../ui/icon.tsx'
import { Popover } from '../../ui/popover.tsx'
import { ColorRules } from './color-rules.tsx'
import { ColumnList } from './column-list.tsx'
import { type ListLook, plainLook, type RowGrouping, rowGroupings } from './list-look.ts'

export interface ListMenuProps {
  readonly look: ListLook
  readonly onLook: (look: ListLook) => void
}

const GROUPING_TITLES: Readonly<Record<RowGrouping, string>> = {
  none: 'Every call on its own',
  connection: 'Connection',
  trace: 'Trace or request id',
}

/** How the list looks: its columns, groups and colours, kept in this browser. */
export function ListMenu(props: ListMenuProps) {
  const { look, onLook } = props
  return (
    <Popover
      label="Columns, groups and colours"
      title={
        <>
          <Icon name="edit" size={14} />
          Columns
        </>
      }
    >
      {() => (
        <div className="popover-panel list-menu">
          <h3>Columns</h3>
          <ColumnList chosen={look.columns} onChange={(columns) => onLook({ ...look, columns })} />
          <label className="list-grouping">
            <span>Group by</span>
            <select
              className="select"
              value={look.grouping}
              onChange={({ target }) =>
                onLook({ ...look, grouping: rowGroupings.find((one) => one === target.value) ?? 'none' })
              }
            >
              {rowGroupings.map((grouping) => (
                <option key={grouping} value={grouping}>
                  {GROUPING_TITLES[grouping]}
                </option>
              ))}
            </select>
          </label>
          <h3>Colours</h3>
          <ColorRules rules={look.rules} onChange={(rules) => onLook({ ...look, rules })} />
          <button type="button" className="button bare" onClick={() => onLook(plainLook)}>
            Back to the first look
          </button>
          <p className="soft">Kept in this browser. The edge of a column&apos;s title sets its width.</p>
        </div>
      )}
    </Popover>
  )
}
