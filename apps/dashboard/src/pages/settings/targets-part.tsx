import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { countOf } from '../../format/amount.ts'
import { Button } from '../../ui/button.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { TextField } from '../../ui/text-field.tsx'
import { useDebounced } from '../../ui/use-debounced.ts'
import { nameList, patternProblem } from './name-list.ts'

type Targets = Awaited<ReturnType<typeof hub.targets>>

/** Which pods are indexed and which packets are captured; what a change would select is shown before it is made. */
export function TargetsPart() {
  const caller = useCaller()
  const denied = caller.reasonAgainst('dissection:live')
  const { data, error } = useQuery({
    queryKey: ['targets'],
    queryFn: ({ signal }) => hub.targets(signal),
    enabled: denied === undefined,
  })
  return (
    <section className="snapshot settings-part" aria-label="Capture targets">
      <h2>Capture targets</h2>
      <p className="soft">Indexing fewer pods costs less CPU. What is not indexed is still recorded.</p>
      {denied && <p className="soft">{denied}</p>}
      {error && <ProblemNote problem={error} />}
      {data && <TargetsForm key={JSON.stringify([data.regex, data.namespaces, data.bpf])} targets={data} />}
    </section>
  )
}

function TargetsForm({ targets }: { readonly targets: Targets }) {
  const caller = useCaller()
  const queries = useQueryClient()
  const [regex, setRegex] = useState(targets.regex)
  const [namespaces, setNamespaces] = useState(targets.namespaces.join(', '))
  const [excluded, setExcluded] = useState(targets.excluded_namespaces.join(', '))
  const [bpf, setBpf] = useState(targets.bpf)
  const bad = patternProblem(regex)
  const pods = { regex, namespaces: nameList(namespaces), excluded_namespaces: nameList(excluded) }
  const asked = useDebounced(JSON.stringify(pods), 400)
  const preview = useQuery({
    queryKey: ['targets-preview', asked],
    queryFn: ({ signal }) => hub.previewTargets(JSON.parse(asked) as typeof pods, signal),
    enabled: bad === undefined,
    placeholderData: (before) => before,
  })
  const refresh = () => queries.invalidateQueries({ queryKey: ['targets'] })
  const save = useMutation({ mutationFn: () => hub.setTargets({ ...pods, bpf }), onSuccess: refresh })
  const reset = useMutation({ mutationFn: () => hub.resetTargets(), onSuccess: refresh })
  const denied = caller.reasonAgainst('pods:target:write')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!denied && !bad && !save.isPending) save.mutate()
  }
  const found = preview.data
  return (
    <form className="settings-form" onSubmit={submit} aria-label="Capture targets">
      <TextField
        label="Pods whose name matches"
        value={regex}
        onChange={setRegex}
        problem={bad}
        example="^shop-"
      />
      <TextField label="Only namespaces" value={namespaces} onChange={setNamespaces} example="all" />
      <TextField label="Not namespaces" value={excluded} onChange={setExcluded} example="none" />
      <TextField label="Capture filter (BPF)" value={bpf} onChange={setBpf} example="all packets" />
      <p role="status">
        {found ? (
          <>
            <b>{countOf(found.total, 'pod')}</b> {found.total === 1 ? 'matches' : 'match'}
            {found.pods.length > 0 && ': '}
            <span className="mono soft">
              {found.pods
                .slice(0, 12)
                .map(({ namespace, name }) => `${namespace}/${name}`)
                .join(', ')}
              {found.total > 12 && ` and ${found.total - 12} more`}
            </span>
          </>
        ) : (
          'Looking for the pods that match…'
        )}
      </p>
      {preview.error && <ProblemNote problem={preview.error} />}
      {save.error && <ProblemNote problem={save.error} />}
      {reset.error && <ProblemNote problem={reset.error} />}
      <div className="actions">
        <Button type="submit" look="primary" busy={save.isPending} reason={denied ?? bad}>
          Apply
        </Button>
        <Button
          busy={reset.isPending}
          reason={
            denied ??
            (targets.source === 'configuration' ? 'These are the values of the configuration.' : undefined)
          }
          onClick={() => reset.mutate()}
        >
          Reset to the configuration
        </Button>
      </div>
      {denied && <p className="soft">{denied}</p>}
    </form>
  )
}
