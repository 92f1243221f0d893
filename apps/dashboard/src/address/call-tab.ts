/** The parts of the details of a call. */
export const callTabs = [
  'overview',
  'request',
  'response',
  'timing',
  'connection',
  'packets',
  'events',
  'related',
] as const

export type CallTab = (typeof callTabs)[number]

export function isCallTab(text: string | null): text is CallTab {
  return callTabs.some((tab) => tab === text)
}
