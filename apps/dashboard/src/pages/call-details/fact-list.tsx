import { clauseFor } from '../../kfl/clause.ts'
import { Icon } from '../../ui/icon.tsx'
import { type Fact, factText } from './facts.ts'
import { useFilterAdder } from './filter-context.ts'

export function FactList({ facts, title }: { readonly facts: readonly Fact[]; readonly title?: string }) {
  if (facts.length === 0) return null
  return (
    <>
      {title && <h4>{title}</h4>}
      <dl className="facts">
        {facts.map((fact) => (
          <FactRow key={fact.path.join('.')} fact={fact} />
        ))}
      </dl>
    </>
  )
}

function FactRow({ fact }: { readonly fact: Fact }) {
  const { fields, add } = useFilterAdder()
  const clause = clauseFor(fact.path, fact.value, fields)
  return (
    <div className="fact">
      <dt>{fact.label}</dt>
      <dd>
        <span className="value">{factText(fact.value)}</span>
        {clause && (
          <button
            type="button"
            className="add-filter"
            title={`Filter by ${clause}`}
            aria-label={`Filter by ${clause}`}
            onClick={() => add(clause)}
          >
            <Icon name="plus" size={12} />
          </button>
        )}
      </dd>
    </div>
  )
}
