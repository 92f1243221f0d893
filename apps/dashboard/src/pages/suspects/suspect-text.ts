import type { OperationOutput } from '@tapdeck/api'
import { withClause } from '../../kfl/clause.ts'

export type Suspects = OperationOutput<'find_suspects'>
export type Suspect = Suspects['suspects'][number]

interface KindText {
  readonly title: string
  /** What it means, for a reader who sees it for the first time. */
  readonly meaning: string
}

/** THE list of kinds, as they read. */
export const kindTexts: Readonly<Record<Suspect['kind'], KindText>> = {
  failing: { title: 'failing', meaning: 'Calls are answered with an error.' },
  unanswered: { title: 'unanswered', meaning: 'Requests were sent, and no response came.' },
  connection_failed: {
    title: 'connection failed',
    meaning: 'The connection was refused, reset or never accepted.',
  },
  dns_failing: { title: 'DNS fails', meaning: 'The name of the server could not be looked up.' },
  tls_failing: { title: 'TLS fails', meaning: 'The TLS handshake ended with an alert.' },
  certificate: { title: 'certificate', meaning: 'A certificate has expired, or expires soon.' },
  slower: { title: 'slower', meaning: 'Calls take longer than before, beyond chance.' },
  more_calls: { title: 'more calls', meaning: 'The rate of calls rose, for example because of retries.' },
  bigger: { title: 'bigger', meaning: 'Responses are larger than before.' },
  packet_loss: { title: 'packet loss', meaning: 'TCP had to send segments again.' },
  zero_window: {
    title: 'zero window',
    meaning: 'A receiver did not read its data, so the sender had to wait.',
  },
  replica: { title: 'one replica', meaning: 'One pod of a service differs from its siblings.' },
  new_edge: { title: 'new', meaning: 'These two did not talk to each other before.' },
  gone: { title: 'gone', meaning: 'These two no longer talk to each other.' },
  restart: { title: 'restart', meaning: 'A container or process restarted at that time.' },
  dns_unanswered: { title: 'name never answered', meaning: 'A name server never answers about this name.' },
  dns_search_storm: {
    title: 'search domains',
    meaning: 'A client tries each name with every search domain first.',
  },
  dns_answer_changed: {
    title: 'other address',
    meaning: 'A name leads to addresses of another service than before.',
  },
  concurrency: { title: 'concurrency', meaning: 'More calls are under way at a time than before.' },
  retries: { title: 'retries', meaning: 'Calls became more frequent while many of them fail.' },
  n_plus_one: {
    title: 'more calls for each request',
    meaning: 'A client makes more calls for each request that it gets.',
  },
  deadline: { title: 'deadline', meaning: 'Calls are given up at a fixed time that they always needed.' },
  rate_limited: { title: 'rate limited', meaning: 'A rate limiter rejects calls.' },
  health_check: { title: 'health check', meaning: 'A health check began to fail.' },
  clock_skew: { title: 'clock', meaning: 'The clock of a pod differs from the others.' },
  lock: { title: 'lock', meaning: 'Statements of other sessions waited for a transaction.' },
  header_changed: {
    title: 'other headers',
    meaning: 'Response headers have another value, as after a release.',
  },
  mtu_black_hole: {
    title: 'large packets vanish',
    meaning: 'Large requests are never answered, small ones are.',
  },
  leaking_connections: { title: 'leaking connections', meaning: 'Connections are opened and never closed.' },
  half_open: {
    title: 'half-open connections',
    meaning: 'Requests go to connections that the other end has forgotten.',
  },
  amplification: {
    title: 'amplification',
    meaning: 'Retries at several layers multiply the calls to a server.',
  },
  hot_replica: { title: 'hot replica', meaning: 'One pod gets far more of the calls than its siblings.' },
  version: { title: 'one version', meaning: 'The pods of one version of a service differ from the others.' },
  node: { title: 'one node', meaning: 'The pods on one node differ from their siblings on other nodes.' },
  rollout: { title: 'rollout', meaning: 'A new version was rolled out at that time.' },
}

export const severityTones: Readonly<Record<Suspect['severity'], string>> = {
  high: 'bad',
  medium: 'warn',
  note: '',
}

/** `shop/cart`, or the name alone. */
export function partyName({ name, ns }: NonNullable<Suspect['client']>): string {
  return ns === undefined || ns === '' ? name : `${ns}/${name}`
}

/** The filter of the page, narrowed to the calls that show it. */
export function evidenceFilter(kfl: string, suspect: Pick<Suspect, 'kfl'>): string | undefined {
  return suspect.kfl === undefined ? undefined : withClause(kfl, suspect.kfl)
}

/** The suspects as they are shown: causes as cards, the others folded. What follows from a cause is listed in its card. */
export interface SuspectGroups {
  readonly causes: readonly Suspect[]
  /** They were the same before the change. */
  readonly background: readonly Suspect[]
  readonly notes: readonly Suspect[]
}

export function groupSuspects(suspects: readonly Suspect[]): SuspectGroups {
  const own = suspects.filter(({ explained_by }) => explained_by === undefined)
  // Where nothing grave is new, what was always wrong is the answer.
  const isGrave = own.some(({ severity, background }) => severity === 'high' && !background)
  const isFolded = ({ severity, background }: Suspect) => background && (isGrave || severity === 'note')
  return {
    causes: own.filter((one) => one.severity !== 'note' && !isFolded(one)),
    background: own.filter(isFolded),
    notes: own.filter(({ severity, background }) => severity === 'note' && !background),
  }
}

/** What the figures of `before` are of. */
export const comparedTexts: Readonly<Record<Suspect['compared_with'], string>> = {
  time_before: 'before',
  peers: 'compared with',
  protocol: 'normally',
}

/** What was found, in one sentence. */
export function headline({ suspects, baseline_is, window }: Suspects): string {
  const [first] = suspects
  const [cause] = groupSuspects(suspects).causes
  if (window.calls === 0) return 'There are no calls in this window.'
  if (first === undefined)
    return baseline_is === 'none' ? 'Nothing changed within this window.' : 'Nothing changed beyond chance.'
  if (cause?.background) return `It was so before, too: ${cause.what}`
  if (cause !== undefined) return `Most probable cause: ${cause.what}`
  return 'Nothing serious changed. The notes below may still help.'
}
