import { type ReactNode, useId } from 'react'

export interface TextFieldProps {
  readonly label: string
  readonly value: string
  /** Shown while the field is empty. */
  readonly example?: string | undefined
  /** What is wrong with the value; shown instead of `children`. */
  readonly problem?: string | undefined
  /** A note below the field. */
  readonly children?: ReactNode
  readonly onChange: (value: string) => void
}

/** One line of text to type, with its label, and what is wrong with it. */
export function TextField({ label, value, example, problem, children, onChange }: TextFieldProps) {
  const id = useId()
  const note = problem ?? children
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        className="input mono"
        value={value}
        placeholder={example}
        aria-invalid={problem !== undefined}
        aria-describedby={note === undefined ? undefined : `${id}-note`}
        autoComplete="off"
        spellCheck={false}
        onChange={({ target }) => onChange(target.value)}
      />
      {note !== undefined && (
        <p id={`${id}-note`} className={problem === undefined ? 'soft' : 'field-error'}>
          {note}
        </p>
      )}
    </div>
  )
}
