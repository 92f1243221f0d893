import { useState } from 'react'
import type { CallDetails } from '../../../client/call-details.ts'
import { addressOf } from '../../../client/call-operation.ts'
import { hub } from '../../../client/hub.ts'
import { useStatus } from '../../../client/use-hub.ts'
import { type ChosenColumn, columnsOf } from '../../../columns/column-choice.ts'
import { count, countOf } from '../../../format/amount.ts'
import { tell } from '../../../ui/alerts.tsx'
import { Button } from '../../../ui/button.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Popover } from '../../../ui/popover.tsx'
import { asCsv, csvFields } from './as-csv.ts'
import { asHar } from './as-har.ts'
import { collectCalls } from './collect-calls.ts'
import { saveFile } from './save-file.ts'

export interface ExportMenuProps {
  readonly db: string | undefined
  readonly kfl: string
  readonly start: number | undefined
  readonly end: number | undefined
  /** Those of the list: fields that were added to it are in the CSV as well. */
  readonly columns: readonly ChosenColumn[]
}

const MAX_CALLS = 10_000
const MAX_CHARS = 64 * 1024 * 1024

type Form = 'csv' | 'ndjson' | 'har'

const TITLES: Readonly<Record<Form, string>> = {
  csv: 'CSV, a line a call',
  ndjson: 'NDJSON, with headers and bodies',
  har: 'HAR, of HTTP calls',
}

/** Saves the calls that match the filter and the time on screen as a file. */
export function ExportMenu(props: ExportMenuProps) {
  return (
    <Popover
      label="Export these calls"
      title={
        <>
          <Icon name="download" size={14} />
          Export
        </>
      }
    >
      {() => <ExportPanel {...props} />}
    </Popover>
  )
}

function ExportPanel(props: ExportMenuProps) {
  const version = useStatus().data?.version ?? ''
  const [busy, setBusy] = useState<Form>()
  const [note, setNote] = useState('')
  const save = async (form: Form) => {
    setBusy(form)
    try {
      setNote(await exportCalls(form, props, version))
    } catch (reason) {
      tell(reason instanceof Error ? reason : new Error(String(reason)))
    } finally {
      setBusy(undefined)
    }
  }
  const { db, kfl, start, end } = props
  const [snapshot, dissection] = db?.split('/') ?? []
  return (
    <div className="popover-panel export-panel">
      {(['csv', 'ndjson', 'har'] as const).map((form) => (
        <Button key={form} busy={busy === form} onClick={() => void save(form)}>
          {TITLES[form]}
        </Button>
      ))}
      {snapshot !== undefined && dissection !== undefined ? (
        <a
          className="button"
          download
          href={addressOf('export_snapshot_pcap', {
            name: snapshot,
            dissection,
            kfl,
            start_time: start,
            end_time: end,
          })}
        >
          pcapng, their packets
        </a>
      ) : (
        <Button reason="Packets are exported from a snapshot: keep and dissect this window first, then open it.">
          pcapng, their packets
        </Button>
      )}
      <p className="soft">
        The calls of this filter and time, newest first, at most {count(MAX_CALLS)}; pcapng has no such limit.
      </p>
      {note && <p role="status">{note}</p>}
    </div>
  )
}

/** Saves the file, and says what is in it. */
async function exportCalls(
  form: Form,
  { db, kfl, start, end, columns }: ExportMenuProps,
  version: string,
): Promise<string> {
  const format = form === 'csv' ? 'compact' : 'full'
  const asked = form === 'csv' ? columnsOf(columns).flatMap(({ asks }) => asks ?? []) : []
  const fields = asked.length > 0 && { fields: [...csvFields, ...new Set(asked)].join(',') }
  const { calls, isCut } = await collectCalls<CallDetails>(
    { db, kfl, start, end, format, ...fields },
    { maxCalls: MAX_CALLS, maxChars: MAX_CHARS, fetchPage: (query) => hub.calls(query) },
  )
  const text =
    form === 'csv'
      ? asCsv(calls, addedFields(columns))
      : form === 'har'
        ? asHar(calls, version)
        : calls.map((call) => `${JSON.stringify(call)}\n`).join('')
  if (calls.length === 0 || text === undefined)
    return form === 'har' ? 'There is no HTTP call to save.' : 'There is no call to save.'
  saveFile(`calls.${form}`, text)
  const saved = `${countOf(calls.length, 'call')} saved.`
  return isCut ? `${saved} There are more: narrow the filter or the time for the others.` : saved
}

function addedFields(columns: readonly ChosenColumn[]) {
  return columns.flatMap(({ id, path }) => (path === undefined ? [] : [{ name: id, path }]))
}
