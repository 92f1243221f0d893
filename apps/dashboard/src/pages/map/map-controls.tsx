import { count } from '../../format/amount.ts'
import { ProtocolTag } from '../../protocols/protocol-tag.tsx'
import { Icon } from '../../ui/icon.tsx'
import { type MapChoice, mapLevels } from './map-choice.ts'
import type { MapGraph } from './map-graph.ts'

export interface MapControlsProps {
  readonly choice: MapChoice
  readonly protocols: MapGraph['protocols']
  /** The name of the node that the map is narrowed to. */
  readonly focusName: string | undefined
  readonly onChoice: (change: Partial<MapChoice>) => void
}

const levelTitles = {
  service: 'Services',
  workload: 'Workloads',
  pod: 'Pods',
  namespace: 'Namespaces',
  node: 'Nodes',
} as const

const changeTitles = { failing_more: 'Failing more', slower: 'Slower', new: 'New', gone: 'Gone' } as const

/** What the map shows: the level, the legend, which is a filter as well, and the comparison. */
export function MapControls({ choice, protocols, focusName, onChoice }: MapControlsProps) {
  const toggle = (
    flag: 'onlyErrors' | 'byNs' | 'outside' | 'compare' | 'asTable',
    text: string,
    title: string,
  ) => (
    <button
      type="button"
      className="chip"
      aria-pressed={choice[flag]}
      title={title}
      onClick={() => onChoice({ [flag]: !choice[flag] })}
    >
      {text}
    </button>
  )
  const hide = (name: string) =>
    onChoice({
      hidden: choice.hidden.includes(name)
        ? choice.hidden.filter((each) => each !== name)
        : [...choice.hidden, name],
    })
  return (
    <div className="map-controls">
      <select
        className="select grouping"
        aria-label="Level of the map"
        value={choice.level}
        onChange={({ target }) => {
          const level = mapLevels.find((each) => each === target.value)
          if (level) onChoice({ level, focus: undefined })
        }}
      >
        {mapLevels.map((level) => (
          <option key={level} value={level}>
            {levelTitles[level]}
          </option>
        ))}
      </select>
      {toggle('onlyErrors', 'Only with errors', 'Shows only edges on which calls failed')}
      {toggle('byNs', 'By namespace', 'Gives each namespace a place of its own')}
      {toggle('outside', 'Outside one by one', 'Addresses without a name are one node, or one each')}
      {toggle(
        'compare',
        'Compare with before',
        'Marks what is new, gone, slower or failing more than in the time before',
      )}
      {toggle('asTable', 'As a table', 'The same edges as rows')}
      {focusName !== undefined && (
        <button
          type="button"
          className="chip focus"
          aria-label={`Show all, not only ${focusName}`}
          onClick={() => onChoice({ focus: undefined })}
        >
          Only {focusName} and its neighbours
          <Icon name="close" size={11} />
        </button>
      )}
      <ul className="legend" aria-label="Protocols">
        {protocols.map(([name, calls]) => (
          <li key={name}>
            <button
              type="button"
              className="chip"
              aria-pressed={!choice.hidden.includes(name)}
              title={choice.hidden.includes(name) ? 'Show this protocol' : 'Hide this protocol'}
              onClick={() => hide(name)}
            >
              <ProtocolTag name={name} /> {count(calls)}
            </button>
          </li>
        ))}
        {choice.compare &&
          Object.entries(changeTitles).map(([kind, title]) => (
            <li key={kind} className={`change-${kind}`}>
              <i className="swatch" /> {title}
            </li>
          ))}
      </ul>
    </div>
  )
}
