import { useMutation, useQueryClient } from '@tanstack/react-query'
import { formatBytes } from '@tapdeck/units'
import { type DragEvent, useId, useState } from 'react'
import { useCaller } from '../../client/caller.ts'
import { hub } from '../../client/hub.ts'
import { countOf } from '../../format/amount.ts'
import { ProblemNote } from '../../ui/problem-note.tsx'
import { Progress } from '../../ui/progress.tsx'
import { importName, importPlan } from './import-plan.ts'

/** Capture files that are dropped here, or chosen, become a snapshot. */
export function ImportDrop({ taken }: { readonly taken: readonly string[] }) {
  const caller = useCaller()
  const queries = useQueryClient()
  const [isOver, setIsOver] = useState(false)
  const [sent, setSent] = useState(0)
  const id = useId()
  const denied = caller.reasonAgainst('snapshot:write')
  const send = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const [first] = files
      if (!first) return
      const name = importName(first.name, taken)
      let before = 0
      for (const [at, plan] of importPlan(files.map((file) => file.name)).entries()) {
        const file = files[at] as File
        const { file: _, ...query } = plan
        await hub.importSnapshot({ name, ...query }, file, (bytes) => setSent(before + bytes))
        before += file.size
      }
    },
    onMutate: () => setSent(0),
    onSettled: () => queries.invalidateQueries({ queryKey: ['snapshots'] }),
  })
  const total = (send.variables ?? []).reduce((sum, { size }) => sum + size, 0)
  const take = (files: FileList | null) => {
    if (files && files.length > 0 && !denied && !send.isPending) send.mutate([...files])
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setIsOver(false)
    take(event.dataTransfer.files)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the file field inside does the same by keyboard
    <div
      className={`import-drop${isOver ? ' over' : ''}`}
      title={denied}
      onDragOver={(event) => {
        event.preventDefault()
        setIsOver(!denied)
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <label htmlFor={id}>Drop pcap or pcapng files here, or choose them:</label>
      <input
        id={id}
        type="file"
        multiple
        accept=".pcap,.pcapng,.cap,.gz,.zst"
        disabled={denied !== undefined || send.isPending}
        onChange={({ target }) => {
          take(target.files)
          target.value = ''
        }}
      />
      {denied && <p className="soft">{denied}</p>}
      {send.isPending && (
        <>
          <Progress value={total > 0 ? (100 * sent) / total : 0} label="Import" />
          <p className="soft" role="status">
            {countOf(send.variables.length, 'file')}, {formatBytes(Math.max(0, total - sent))} left to send
          </p>
        </>
      )}
      {send.error && <ProblemNote problem={send.error} />}
    </div>
  )
}
