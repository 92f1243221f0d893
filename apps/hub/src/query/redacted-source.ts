import { Problem, type WorkerRequests } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import type { StatsGroup } from '@tapdeck/questions'
import type { Redactor } from '@tapdeck/redact'
import type { AskOptions } from '../cluster/worker.ts'
import type { CallSource, Question } from './call-source.ts'
import { RedactedNames } from './redacted-names.ts'

type Input<Name extends Question> = WorkerRequests[Name]['input']
type Output<Name extends Question> = WorkerRequests[Name]['output']
type Ask = <Name extends Question>(question: Name, input: Input<Name>) => Promise<Output<Name>>

interface Shown {
  readonly redactor: Redactor
  readonly names: RedactedNames
  readonly ask: Ask
  /** Throws 403 where a filter reads what is redacted. */
  allow(kfl: string): void
  allowField(name: string): void
}

/** What becomes of each question. One that is missing here does not compile: nothing is passed on as it is. */
const redacted: { readonly [Name in Question]: (input: Input<Name>, shown: Shown) => Promise<Output<Name>> } =
  {
    async calls(input, { redactor, ask, allow }) {
      allow(input.kfl)
      const page = await ask('calls', input)
      return { ...page, calls: page.calls.map((call) => redactor.presented(call)) }
    },
    async call(input, { redactor, ask }) {
      const { call } = await ask('call', input)
      return { call: redactor.presented(call) }
    },
    count(input, { ask, allow }) {
      allow(input.kfl)
      return ask('count', input)
    },
    async stats(input, { names, ask, allow }) {
      allow(input.kfl)
      const only = input.only?.flatMap(({ group, ...rest }) =>
        names.originals(group).map((original) => ({ ...rest, group: original })),
      )
      const { groups, ...page } = await ask('stats', { ...input, ...(only && { only }) })
      // Only names of several dimensions are free of separators that came from the traffic.
      const redactGroup = (group: string) =>
        input.group_by.includes(',') ? names.redactParts(group) : names.redact(group)
      return {
        ...page,
        groups: (groups as StatsGroup[]).map((one) => ({ ...one, group: redactGroup(one.group) })),
      }
    },
    async values(input, { names, ask, allow, allowField }) {
      allow(input.kfl)
      allowField(input.field)
      const only = input.only?.flatMap((value) => names.originals(value))
      const { values, ...page } = await ask('values', { ...input, ...(only && { only }) })
      const part = input.prefix.toLowerCase()
      // A value that only matches by what is hidden would confirm a guess.
      const isFound = (shown: unknown) => String(shown).toLowerCase().includes(part)
      return {
        ...page,
        values: values
          .map(({ value, calls }) => ({
            value: typeof value === 'string' ? names.redact(value) : value,
            calls,
          }))
          .filter(({ value }) => isFound(value)),
      }
    },
    flows: (input, { ask }) => ask('flows', input),
    summary: (input, { ask }) => ask('summary', input),
  }

/** What a filter may read without telling anything of payloads by what it matches. */
const PLAIN =
  /^(id|ts|(src|dst)(\..*)?|proto|method|path|status|error|connection_end|delivery|latency_ms|ttfb_ms|tcp\..*|tcp_handshake_.*|flow\..*|(conn|flow|node)_id|node_ip|has_pcap|decrypted|capture_source|re(q|sp)_size|(request|response)\.(body_size|headers_size|truncated|http_version))$/

/** A source for callers who see payloads redacted. A filter on hidden values would reveal them, so it is refused. */
export function redactedSource(
  source: CallSource,
  redactor: Redactor,
  catalog: Catalog,
  now: () => number,
): CallSource {
  const names = new RedactedNames(redactor)
  return {
    node: source.node,
    isShared: source.isShared ?? false,
    ask<Name extends Question>(
      question: Name,
      input: Input<Name>,
      options?: AskOptions,
    ): Promise<Output<Name>> {
      return redacted[question](input, {
        redactor,
        names,
        ask: (inner, asked) => source.ask(inner, asked, options),
        allow: (kfl) => assertNoRedactedFields(kfl, catalog, now()),
        allowField(name) {
          const field = catalog.find(name)
          for (const path of field ? [field.path, ...(field.fallbacks ?? [])] : [])
            if (isRedactedPath(path)) refuse(name)
        },
      })
    },
  }
}

/** Whether a field may be hidden in what a redacted role sees. */
export function isRedactedPath(path: string): boolean {
  return !PLAIN.test(path)
}

/** Throws 403 where a filter reads what is redacted, and `KflError` where it is wrong. */
export function assertNoRedactedFields(kfl: string, catalog: Catalog, now: number): void {
  const hidden = compile(kfl, catalog, now).paths.find(isRedactedPath)
  if (hidden !== undefined) refuse(hidden)
}

function refuse(path: string): never {
  throw new Problem(
    403,
    'redacted_field',
    `This role sees redacted calls and cannot filter or group by ${path}`,
    {
      hint: 'Use peers, times, method, path, status, sizes or latency.',
    },
  )
}
