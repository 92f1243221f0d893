import { clauseFor } from '../../kfl/clause.ts'
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
  const { fields, add, addAlternative } = useFilterAdder()
  const clause = clauseFor(fact.path, fact.value, fields)
  const opposite = clauseFor(fact.path, fact.value, fields, '!=')
  return (
    <div className="fact">
      <dt>{fact.label}</dt>
      <dd>
        <span className="value">{factText(fact.value)}</span>
        {clause && opposite && (
          <span className="fact-tools">
            <FilterButton text="+" title={`Filter by ${clause}`} onClick={() => add(clause)} />
            <FilterButton text="−" title={`Filter by ${opposite}`} onClick={() => add(opposite)} />
            <FilterButton text="or" title={`Or ${clause}`} onClick={() => addAlternative(clause)} />
          </span>
        )}
      </dd>
    </div>
  )
}

function FilterButton({ text, title, onClick }: { text: string; title: string; onClick: () => void }) {
  return (
    <button type="button" className="add-filter" title={title} aria-label={title} onClick={onClick}>
      {text}
    </button>
  )
}
