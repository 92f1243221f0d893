import { keyOfParty, type Observation, type Traffic } from './evidence.ts'
import { percent, whole } from './statistics.ts'

/** Fewer calls of others are no comparison. */
const MIN_CALLS = 20
/** Times the share of the others. */
const TIMES = 3
const ODD_SHARE = 0.1

/** How failures compare with the calls of others in the same window. */
export interface Peers {
  /** Absent: there is nothing to compare with. */
  readonly text?: string
  /** The same calls of other clients work. */
  readonly isOddCaller: boolean
}

/** Compares the calls of a client on a path with those of other clients on it, and with its calls on other paths. */
export function comparePeers(worst: Traffic, share: number, { paths }: Observation): Peers {
  const same = paths.filter(
    ({ server, proto }) => keyOfParty(server) === keyOfParty(worst.server) && proto === worst.proto,
  )
  const isOwn = ({ client }: Traffic) => keyOfParty(client) === keyOfParty(worst.client)
  const callers = figuresOf(same.filter((one) => !isOwn(one) && one.path === worst.path))
  const others = figuresOf(same.filter((one) => isOwn(one) && one.path !== worst.path))
  const shown = [
    ...(callers.calls >= MIN_CALLS ? [`other callers: ${shownShare(callers)}`] : []),
    ...(others.calls >= MIN_CALLS ? [`other paths: ${shownShare(others)}`] : []),
  ]
  return {
    ...(shown.length > 0 && { text: `${shown.join('; ')} fail` }),
    isOddCaller:
      callers.calls >= MIN_CALLS && share >= ODD_SHARE && share >= (callers.failures / callers.calls) * TIMES,
  }
}

interface Figures {
  readonly calls: number
  readonly failures: number
}

function figuresOf(list: readonly Traffic[]): Figures {
  return list.reduce(
    (sum, { calls, failures }) => ({ calls: sum.calls + calls, failures: sum.failures + failures }),
    { calls: 0, failures: 0 },
  )
}

function shownShare({ calls, failures }: Figures): string {
  return `${percent(failures / calls)} of ${whole(calls)} calls`
}
