import type { View } from '../address/views.ts'

export interface Hint {
  readonly text: string
  readonly docs: string
  /** Where to go next. */
  readonly next?: { readonly view: View; readonly text: string }
}

/** THE list: what a new reader should try first in each view. */
const hints: Partial<Record<View, Hint>> = {
  calls: {
    text: 'Drag in the chart to look at a time. Press / to filter, and click a call for its details.',
    docs: 'dashboard:calls',
  },
  suspects: {
    text: 'The most probable cause is first. “Its calls” shows the evidence; drag in the chart to compare another time.',
    docs: 'dashboard:suspects',
  },
  map: {
    text: 'Click a node to see only its neighbours, and an edge for its calls. Red is what fails.',
    docs: 'dashboard:map',
  },
  stats: {
    text: 'Click a title to sort, a name for its calls, and a number of errors for the failed ones.',
    docs: 'dashboard:stats',
  },
  flows: {
    text: 'All traffic is here, also what is no call. Slow handshakes and resets point at the network.',
    docs: 'dashboard:flows',
  },
  events: {
    text: 'Marks on the time axis are what happened to pods and processes. Drag over them to see only that time.',
    docs: 'dashboard:events',
  },
  nodes: {
    text: 'If something is missing, this view says on which node, since when and why.',
    docs: 'missing-data',
  },
  snapshots: {
    text: 'Drag over the recording to keep a window of it, dissect it, and open its calls.',
    docs: 'snapshots',
  },
  recordings: {
    text: 'A recording keeps what matches a filter from now on. A snapshot keeps what already happened.',
    docs: 'recordings',
  },
  settings: {
    text: 'What your role may not change is shown with the reason.',
    docs: 'dashboard:settings',
  },
}

const demoHint: Hint = {
  text: 'This is the demo: a small shop in which something fails. Red bars are errors. Let the suspects name the cause.',
  docs: 'tour',
  next: { view: 'suspects', text: 'Find the cause' },
}

export function hintOf(view: View, isDemo: boolean): Hint | undefined {
  return view === 'calls' && isDemo ? demoHint : hints[view]
}

/** Which hints this browser has seen: views, or all. */
export type SeenHints = readonly string[]

export const ALL_HINTS = 'all'

export function isSeen(seen: SeenHints, view: View): boolean {
  return seen.includes(view) || seen.includes(ALL_HINTS)
}

export function readSeenHints(value: unknown): SeenHints | undefined {
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : undefined
}
