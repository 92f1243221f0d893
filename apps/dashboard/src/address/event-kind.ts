/** Which events are shown: all, those of one kind, or of one type of the operating system's. */
export const eventKinds = [
  'all',
  'cluster',
  'os',
  'process_start',
  'process_exit',
  'connection_open',
  'listen_open',
] as const

export type EventKind = (typeof eventKinds)[number]

export function isEventKind(text: string | null): text is EventKind {
  return eventKinds.some((kind) => kind === text)
}

/** The same as the hub is asked for it. */
export function eventQuestion(kind: EventKind): {
  readonly kind: 'cluster' | 'os' | undefined
  readonly type?: string
} {
  if (kind === 'all') return { kind: undefined }
  return kind === 'cluster' || kind === 'os' ? { kind } : { kind: 'os', type: kind }
}
