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

/** What was found, in one sentence. */
export function headline({ suspects, baseline_is, window }: Suspects): string {
  const [first] = suspects
  const serious = suspects.filter(({ severity }) => severity !== 'note')
  if (window.calls === 0) return 'There are no calls in this window.'
  if (first === undefined)
    return baseline_is === 'none' ? 'Nothing changed within this window.' : 'Nothing changed beyond chance.'
  if (serious.length === 0) return 'Nothing serious changed. The notes below may still help.'
  return `Most probable cause: ${first.what}`
}
