import { useId } from 'react'
import { presets, type WindowChoice } from '../../timeline/window-choice.ts'

export interface WindowFieldsProps {
  readonly choice: WindowChoice
  readonly problem: string | undefined
  readonly onChange: (choice: WindowChoice) => void
}

/** The latest so long, or from one time to another. */
export function WindowFields({ choice, problem, onChange }: WindowFieldsProps) {
  const id = useId()
  const isRange = choice.kind === 'range'
  return (
    <fieldset className="window">
      <legend>Window</legend>
      <div className="segments">
        <label>
          <input
            type="radio"
            name={`${id}-kind`}
            checked={!isRange}
            onChange={() => onChange({ ...choice, kind: 'duration' })}
          />
          The latest
        </label>
        <label>
          <input
            type="radio"
            name={`${id}-kind`}
            checked={isRange}
            onChange={() => onChange({ ...choice, kind: 'range' })}
          />
          From … to …
        </label>
      </div>
      {isRange ? (
        <>
          <label className="field">
            <span>From</span>
            <input
              type="datetime-local"
              step="1"
              className="input"
              value={choice.from}
              onChange={(event) => onChange({ ...choice, from: event.target.value })}
            />
          </label>
          <label className="field">
            <span>To</span>
            <input
              type="datetime-local"
              step="1"
              className="input"
              value={choice.to}
              onChange={(event) => onChange({ ...choice, to: event.target.value })}
            />
          </label>
        </>
      ) : (
        <div className="durations">
          {presets.map((preset) => (
            <button
              key={preset}
              type="button"
              className="button"
              aria-pressed={choice.duration === preset}
              onClick={() => onChange({ ...choice, duration: preset })}
            >
              {preset}
            </button>
          ))}
          <input
            className="input mono"
            aria-label="Duration"
            value={choice.duration}
            aria-invalid={problem !== undefined}
            onChange={(event) => onChange({ ...choice, duration: event.target.value })}
          />
        </div>
      )}
      {problem && <p className="field-error">{problem}</p>}
    </fieldset>
  )
}
