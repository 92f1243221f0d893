import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { checkOptions } from '../../client/use-hub.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'
import { MAX_RULES, readColor } from './list-look.ts'
import { type ColorRule, type RuleColor, ruleColors } from './row-extras.ts'

export interface ColorRulesProps {
  readonly rules: readonly ColorRule[]
  readonly onChange: (rules: readonly ColorRule[]) => void
}

/** Filters whose calls have a colour in the list. The first that matches decides. */
export function ColorRules({ rules, onChange }: ColorRulesProps) {
  return (
    <>
      {rules.length > 0 && (
        <ul className="column-list" aria-label="Colour rules">
          {rules.map((rule) => (
            <li key={rule.kfl}>
              <i className={`rule-swatch rule-${rule.color}`} />
              <span className="unseen">{rule.color}: </span>
              <code className="grow cut" title={rule.kfl}>
                {rule.kfl}
              </code>
              <button
                type="button"
                className="button bare square"
                aria-label={`Remove the colour of ${rule.kfl}`}
                onClick={() => onChange(rules.filter((one) => one !== rule))}
              >
                <Icon name="close" size={12} />
              </button>
            </li>
          ))}
        </ul>
      )}
      {rules.length < MAX_RULES && (
        <AddRule onAdd={(rule) => onChange([...rules.filter(({ kfl }) => kfl !== rule.kfl), rule])} />
      )}
    </>
  )
}

function AddRule({ onAdd }: { readonly onAdd: (rule: ColorRule) => void }) {
  const queries = useQueryClient()
  const [kfl, setKfl] = useState('')
  const [color, setColor] = useState<RuleColor>('orange')
  const [problem, setProblem] = useState<string>()
  const add = async (event: FormEvent) => {
    event.preventDefault()
    const filter = kfl.trim()
    if (filter === '') return setProblem('Write a filter first, such as latency > 500ms.')
    try {
      const check = await queries.fetchQuery(checkOptions(filter))
      setProblem(check.valid ? undefined : check.message)
      if (!check.valid) return
      onAdd({ kfl: filter, color })
      setKfl('')
    } catch (reason) {
      setProblem(reason instanceof Error ? reason.message : String(reason))
    }
  }
  return (
    <form className="add-field" onSubmit={(event) => void add(event)}>
      <select
        className="select"
        aria-label="Colour"
        value={color}
        onChange={({ target }) => setColor(readColor(target.value) ?? 'orange')}
      >
        {ruleColors.map((one) => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
      <input
        className="input grow"
        aria-label="Filter of the calls that get the colour"
        placeholder="latency > 500ms"
        value={kfl}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setKfl(target.value)}
      />
      <Button type="submit" icon="plus" label="Add the colour rule">
        Add
      </Button>
      <ProblemLine text={problem} />
    </form>
  )
}
