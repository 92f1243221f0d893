import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'

type Key = Awaited<ReturnType<typeof hub.configuration>>['keys'][number]

/** Every key as the hub runs with it, and where its value comes from. */
export function ConfigurationPart() {
  const id = useId()
  const denied = useCaller().reasonAgainst('access:manage')
  const [text, setText] = useState('')
  const [isAll, setIsAll] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['configuration'],
    queryFn: ({ signal }) => hub.configuration(signal),
    enabled: denied === undefined,
  })
  const part = text.trim().toLowerCase()
  const keys = (data?.keys ?? []).filter(
    ({ key, doc, source }) =>
      (isAll || part !== '' || source.kind !== 'default') && `${key} ${doc}`.toLowerCase().includes(part),
  )
  return (
    <section className="snapshot settings-part wide" aria-label="Configuration">
      <h2>Configuration as it runs</h2>
      {denied && <p className="soft">{denied}</p>}
      {error && <ProblemNote problem={error} />}
      {data && (
        <>
          <form
            className="settings-row"
            aria-label="Filter of the configuration"
            onSubmit={(event) => event.preventDefault()}
          >
            <div className="field">
              <label htmlFor={id}>Find a key</label>
              <input
                id={id}
                className="input mono"
                value={text}
                onChange={({ target }) => setText(target.value)}
              />
            </div>
            <label>
              <input type="checkbox" checked={isAll} onChange={({ target }) => setIsAll(target.checked)} />{' '}
              With defaults
            </label>
          </form>
          <p className="soft">
            {data.files.length === 0
              ? 'No values file is in use.'
              : `Values files, read again when they change: ${data.files.join(', ')}`}
          </p>
          {keys.length === 0 && (
            <p className="soft">{part === '' ? 'Every key has its default.' : 'No key matches.'}</p>
          )}
          {keys.length > 0 && (
            // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
            <section className="settings-scroll tall" tabIndex={0} aria-label="Keys of the configuration">
              <table>
                <thead>
                  <tr>
                    {['key', 'value', 'source', 'default', 'a change'].map((title) => (
                      <th key={title} scope="col">
                        {title}
                      </th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {keys.map((key) => (
                    <Line key={key.key} entry={key} />
                  ))}
                </tbody>
              </table>
            </section>
          )}
        </>
      )}
    </section>
  )
}

function Line({ entry }: { readonly entry: Key }) {
  const { key, value, source, doc, restart } = entry
  return (
    <tr>
      <th scope="row" className="mono" title={doc}>
        {key}
      </th>
      <td className="mono cut">{shown(value)}</td>
      <td className="cut" title={source.name}>
        {source.kind === 'default' ? (
          <span className="soft">default</span>
        ) : (
          `${source.kind} ${source.name ?? ''}`
        )}
      </td>
      <td className="mono soft cut">{shown(entry.default)}</td>
      <td title={restart}>{restart === undefined ? 'at once' : 'needs a restart'}</td>
    </tr>
  )
}

function shown(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value)
}
