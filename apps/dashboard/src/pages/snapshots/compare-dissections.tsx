import { useId, useState } from 'react'
import { go } from '../../address/use-address.ts'
import type { Dissection } from '../../client/hub.ts'
import { useDiff } from '../../client/use-hub.ts'
import { count, countOf } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'

type Diff = NonNullable<ReturnType<typeof useDiff>['data']>
type Figures = Diff['groups'][number]['a']

const kinds = {
  ...{ new: 'new', gone: 'gone', more_calls: 'more calls', bigger: 'bigger' },
  ...{ slower: 'slower', failing_more: 'failing more' },
} as const

/** What changed from one dissection to another. */
export function CompareDissections({ dissections }: { readonly dissections: readonly Dissection[] }) {
  const names = dissections
    .filter(({ status }) => status === 'completed')
    .map(({ snapshot_name, dissection_name }) => `${snapshot_name}/${dissection_name}`)
  const [before = names[1] ?? '', setBefore] = useState<string>()
  const [after = names[0] ?? '', setAfter] = useState<string>()
  const [isAsked, setIsAsked] = useState(false)
  const { data, error, isFetching } = useDiff(before, after, isAsked && before !== after)
  if (names.length < 2) return null
  return (
    <section className="snapshot compare" aria-label="Compare two dissections">
      <h3>Compare</h3>
      <div className="compare-choice">
        <Choice label="Before" names={names} value={before} onChange={setBefore} />
        <Choice label="After" names={names} value={after} onChange={setAfter} />
        <Button
          busy={isFetching}
          reason={before === after ? 'Choose two different dissections.' : undefined}
          onClick={() => setIsAsked(true)}
        >
          Compare
        </Button>
      </div>
      {error && <ProblemNote problem={error} />}
      {data && <Changes diff={data} db={{ a: before, b: after }} />}
    </section>
  )
}

function Choice(props: {
  readonly label: string
  readonly names: readonly string[]
  readonly value: string
  readonly onChange: (name: string) => void
}) {
  const id = useId()
  return (
    <div className="field">
      <label htmlFor={id}>{props.label}</label>
      <select
        id={id}
        className="select"
        value={props.value}
        onChange={({ target }) => props.onChange(target.value)}
      >
        {props.names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  )
}

function Changes({
  diff,
  db,
}: {
  readonly diff: Diff
  readonly db: { readonly a: string; readonly b: string }
}) {
  const { groups, counts, notes = [], truncated } = diff
  return (
    <>
      <p role="status">
        {groups.length === 0
          ? 'No service changed beyond chance.'
          : `${countOf(groups.length, 'service')} changed.`}{' '}
        <span className="soft">
          {count(counts.unchanged)} unchanged, {count(counts.too_few_calls)} of them with too few calls to
          judge
          {truncated && '; only the worst are listed'}
        </span>
      </p>
      {notes.map((note) => (
        <p key={note} className="soft">
          {note}
        </p>
      ))}
      <ul className="changes">
        {groups.map(({ group, ns, kfl, changes, a, b }) => (
          <li key={`${ns ?? ''}/${group}`}>
            <button
              type="button"
              className="link mono"
              onClick={() =>
                go({
                  view: 'calls',
                  db: b ? db.b : db.a,
                  kfl,
                  start: undefined,
                  end: undefined,
                  call: undefined,
                })
              }
            >
              {ns ? `${ns}/${group}` : group}
            </button>
            {changes.map(({ kind, significance, detail }) => (
              <span key={kind}>
                <b className={`change-${kind}`}>{kinds[kind]}</b>{' '}
                <span className="soft">({significance})</span> {detail}
              </span>
            ))}
            <span className="soft">
              {figures(a)} → {figures(b)}
            </span>
          </li>
        ))}
      </ul>
    </>
  )
}

function figures(of: Figures): string {
  if (!of) return 'no calls'
  const { calls, error_rate, latency_p90_ms } = of
  const slow = latency_p90_ms === undefined ? '' : `, p90 ${latency(latency_p90_ms)}`
  return `${countOf(calls, 'call')}, ${(error_rate * 100).toFixed(1)} % errors${slow}`
}
