import type { RecordingRecord } from './recording-record.ts'

/** The snapshot and the dissection that a recording becomes. */
export function databaseOf(recording: string): { readonly snapshot: string; readonly dissection: string } {
  return { snapshot: `rec-${recording}`, dissection: 'calls' }
}

export function isOver({ status }: Pick<RecordingRecord, 'status'>): boolean {
  return status !== 'scheduled' && status !== 'running'
}
