import { useMutation } from '@tanstack/react-query'
import { formatBytes } from '@tapdeck/units'
import { useId, useState } from 'react'
import { hub, type Snapshot } from '../../client/hub.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ProblemNote } from '../../ui/problem-note.tsx'

export interface DownloadDialogProps {
  readonly snapshot: Snapshot
  /** A completed dissection that calls can be looked up in. */
  readonly dissection: string | undefined
  readonly onClose: () => void
}

/** The packets of a snapshot, all or some of them, with the size beforehand. */
export function DownloadDialog({ snapshot, dissection, onClose }: DownloadDialogProps) {
  const { name, size_bytes } = snapshot
  const [bpf, setBpf] = useState('')
  const [kfl, setKfl] = useState('')
  const [format, setFormat] = useState<'pcapng' | 'pcap'>('pcapng')
  const id = useId()
  const isFiltered = bpf.trim() !== '' || kfl.trim() !== ''
  const wanted = {
    name,
    format,
    bpf_filter: bpf.trim() || undefined,
    kfl: kfl.trim() || undefined,
    dissection: kfl.trim() === '' ? undefined : dissection,
  }
  // A filter that the hub refuses is explained here, not by a file with an error in it.
  const start = useMutation({
    mutationFn: () => hub.checkPcap(wanted),
    onSuccess: () => {
      const link = document.createElement('a')
      link.href = hub.pcapAddress(wanted)
      link.download = `${name}.${format}`
      link.click()
      onClose()
    },
  })
  return (
    <Dialog
      title={`Download packets of ${name}`}
      onClose={onClose}
      onSubmit={() => {
        if (!start.isPending) start.mutate()
      }}
    >
      <div className="field">
        <label htmlFor={`${id}-bpf`}>Packets that match (BPF)</label>
        <input
          id={`${id}-bpf`}
          className="input mono"
          value={bpf}
          placeholder="tcp port 80 and host 10.0.0.1"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setBpf(target.value)}
        />
      </div>
      <div className="field">
        <label htmlFor={`${id}-kfl`}>Packets of the calls that match (KFL)</label>
        <input
          id={`${id}-kfl`}
          className="input mono"
          value={kfl}
          disabled={dissection === undefined}
          placeholder="response.status >= 500"
          autoComplete="off"
          spellCheck={false}
          onChange={({ target }) => setKfl(target.value)}
        />
        <p className="soft">
          {dissection === undefined
            ? 'Dissect the snapshot first: calls are looked up in a dissection.'
            : `Looked up in the dissection ${dissection}.`}
        </p>
      </div>
      <label className="field">
        <span>Format</span>
        <select
          className="select"
          value={format}
          onChange={({ target }) => setFormat(target.value === 'pcap' ? 'pcap' : 'pcapng')}
        >
          <option value="pcapng">pcapng, with names</option>
          <option value="pcap">pcap</option>
        </select>
      </label>
      <p role="status">
        {isFiltered ? 'At most ' : 'About '}
        <b>{formatBytes(size_bytes)}</b>
      </p>
      {start.error && <ProblemNote problem={start.error} />}
      <div className="actions">
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" icon="download" busy={start.isPending}>
          Download
        </Button>
      </div>
    </Dialog>
  )
}
