/** Which events are shown. */
export const eventKinds = ['all', 'cluster', 'os'] as const

export type EventKind = (typeof eventKinds)[number]

export function isEventKind(text: string | null): text is EventKind {
  return eventKinds.some((kind) => kind === text)
}
