import { go } from '../../address/use-address.ts'
import type { TimeWindow } from '../../time/time-window.ts'
import { evidenceFilter, type Suspect } from './suspect-text.ts'

export interface VictimListProps {
  readonly victims: readonly Suspect[]
  readonly kfl: string
  readonly db: string | undefined
  readonly window: Partial<TimeWindow>
}

/** What follows from a cause, a row each, with its calls a click away. */
export function VictimList({ victims, kfl, db, window }: VictimListProps) {
  return (
    <div className="victims">
      <b>What follows from it</b>
      <ul>
        {victims.map((victim) => {
          const shown = evidenceFilter(kfl, victim)
          return (
            <li key={victim.rank} id={`suspect-${victim.rank}`}>
              {shown === undefined ? (
                victim.what
              ) : (
                <button
                  type="button"
                  className="link"
                  title={shown}
                  onClick={() =>
                    go({
                      view: 'calls',
                      kfl: shown,
                      db,
                      start: window.start,
                      end: window.end,
                      call: undefined,
                      find: '',
                    })
                  }
                >
                  {victim.what}
                </button>
              )}{' '}
              <span className="soft">{victim.after}</span>
            </li>
          )
        })}
      </ul>
    </div>
  )
}
