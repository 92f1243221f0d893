import { type FormEvent, useId, useState } from 'react'
import { useKflFields } from '../../client/use-hub.ts'
import { type ChosenColumn, MAX_COLUMNS, moved, toggled, withField } from '../../columns/column-choice.ts'
import { fieldPath } from '../../columns/field-path.ts'
import { columns as builtIn } from '../../columns/index.ts'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { ProblemLine } from '../../ui/problem-line.tsx'

export interface ColumnListProps {
  readonly chosen: readonly ChosenColumn[]
  readonly onChange: (chosen: readonly ChosenColumn[]) => void
}

/** Which columns the list has, and in which order. Any field of the filter language can be one. */
export function ColumnList({ chosen, onChange }: ColumnListProps) {
  const hidden = builtIn.filter(({ id }) => !chosen.some((choice) => choice.id === id))
  return (
    <>
      <ul className="column-list">
        {chosen.map((choice, place) => {
          const title = titleOf(choice.id)
          return (
            <li key={choice.id}>
              <label className="grow cut">
                <input
                  type="checkbox"
                  checked
                  disabled={chosen.length === 1}
                  onChange={() => onChange(toggled(chosen, choice.id))}
                />
                {title}
              </label>
              <Mover
                title={title}
                isUp
                isEnd={place === 0}
                onMove={() => onChange(moved(chosen, choice.id, -1))}
              />
              <Mover
                title={title}
                isEnd={place === chosen.length - 1}
                onMove={() => onChange(moved(chosen, choice.id, 1))}
              />
            </li>
          )
        })}
        {hidden.map(({ id, title }) => (
          <li key={id}>
            <label className="grow cut soft">
              <input type="checkbox" checked={false} onChange={() => onChange(toggled(chosen, id))} />
              {title}
            </label>
          </li>
        ))}
      </ul>
      <AddField chosen={chosen} onChange={onChange} />
    </>
  )
}

interface MoverProps {
  readonly title: string
  readonly isUp?: boolean
  /** There is no place further on. */
  readonly isEnd: boolean
  readonly onMove: () => void
}

function Mover({ title, isUp = false, isEnd, onMove }: MoverProps) {
  return (
    <button
      type="button"
      className="button bare square"
      aria-label={`Move ${title} to the ${isUp ? 'left' : 'right'}`}
      aria-disabled={isEnd || undefined}
      onClick={onMove}
    >
      <Icon name={isUp ? 'up' : 'down'} size={12} />
    </button>
  )
}

function AddField({ chosen, onChange }: ColumnListProps) {
  const { data: fields = [] } = useKflFields()
  const [name, setName] = useState('')
  const [problem, setProblem] = useState<string>()
  const listId = useId()
  const add = (event: FormEvent) => {
    event.preventDefault()
    const wanted = name.trim()
    const path = fieldPath(wanted, fields)
    if (path === undefined)
      setProblem(`No field is named ${wanted}. Examples: src.ns, request.headers["host"].`)
    else if (chosen.length >= MAX_COLUMNS)
      setProblem(`The list has ${MAX_COLUMNS} columns, the most it can have.`)
    else {
      onChange(withField(chosen, wanted, path))
      setName('')
      setProblem(undefined)
    }
  }
  return (
    <form className="add-field" onSubmit={add}>
      <input
        className="input grow"
        aria-label="Field to add as a column"
        placeholder="Any field, such as src.ns"
        list={listId}
        value={name}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => setName(target.value)}
      />
      <datalist id={listId}>
        {fields.map((field) => (
          <option key={field.name} value={field.name}>
            {field.doc}
          </option>
        ))}
      </datalist>
      <Button type="submit" icon="plus" label="Add the field as a column">
        Add
      </Button>
      <ProblemLine text={problem} />
    </form>
  )
}

function titleOf(id: string): string {
  return builtIn.find((column) => column.id === id)?.title ?? id
}
