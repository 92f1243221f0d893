import type { shapes } from '@tapdeck/api'
import type { Filter } from '@tapdeck/kfl'
import { askMerged } from '@tapdeck/questions'
import type { z } from 'zod'
import type { NodeGap } from '../cluster/coverage.ts'
import type { CallSource } from './call-source.ts'
import { missingPart, missingWindow } from './missing-window.ts'
import { onlyEncrypted } from './only-encrypted.ts'
import { seenInstead } from './seen-instead.ts'
import { SourceSet } from './source-set.ts'

export type WhyEmpty = z.input<typeof shapes.whyEmpty>

export interface EmptyAnswer {
  readonly sources: readonly CallSource[]
  /** What alone was dissected, where that was not everything. */
  readonly only?: WhyEmpty['only']
  readonly filter: Filter
  readonly start?: number | undefined
  readonly end?: number | undefined
  /** Times of the window of which nodes have nothing. */
  readonly gaps?: readonly NodeGap[]
  readonly now?: number
  /** Only for live answers. */
  readonly live?: {
    readonly enabled: boolean
    readonly since: string
    /** Why no node captures; undefined where at least one does. */
    readonly notCapturing?: string
    readonly now: number
  }
}

/** Says what made an answer empty, from the most to the least telling reason. */
export async function whyEmpty(answer: EmptyAnswer): Promise<WhyEmpty> {
  const { sources, only, filter, start, end, live, gaps = [], now = 0 } = answer
  const summaries = await Promise.all(
    sources.map((source) => source.ask('summary', {}).catch(() => undefined)),
  )
  const times = summaries.flatMap((summary) => [summary?.oldest_ts ?? [], summary?.newest_ts ?? []].flat())
  const total = summaries.reduce((sum, summary) => sum + (summary?.calls ?? 0), 0)
  const range = times.length > 0 ? { from: Math.min(...times), to: Math.max(...times) } : undefined
  const available = { available_from: instant(range?.from), available_to: instant(range?.to) }
  const window = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }

  const paused = live && !live.enabled && (end === undefined || end >= Date.parse(live.since))
  const outside =
    range !== undefined &&
    ((start !== undefined && start > range.to) || (end !== undefined && end < range.from))
  if (paused) {
    const parts = total > 0 && !outside ? await countParts(sources, filter, window) : undefined
    return {
      reason: 'indexing_paused',
      detail: `Indexing is paused since ${live.since}; traffic since then is recorded, not indexed. ${
        total === 0 ? 'No calls are indexed.' : `None of the ${total} calls indexed before matches.`
      } Resume indexing, or take a snapshot and dissect it.`,
      since: live.since,
      ...available,
      ...(parts && { parts }),
    }
  }
  const nodes = sources.map(({ node }) => node)
  const missing = missingWindow(gaps, nodes, { start, end }, now)
  if (missing) return { ...missing, ...available }
  if (total === 0) {
    if (live?.notCapturing !== undefined)
      return { reason: 'not_captured', detail: `No node captures traffic: ${live.notCapturing}` }
    return {
      reason: 'no_data',
      detail: live
        ? `Nothing is indexed yet; indexing started at ${live.since}.`
        : `This dissection has no calls.${onlyPart(only)}`,
      ...(only && { only }),
    }
  }
  if (outside)
    return {
      reason: 'window_outside_data',
      detail: 'There is no data in this window.',
      ...available,
    }
  const parts = await countParts(sources, filter, window)
  const inWindow = filter.text.trim() === '' ? 0 : await count(sources, '', window)
  if (inWindow === 0)
    return {
      reason: 'window_outside_data',
      detail: `No calls were made in this window.${missingPart(gaps)}`,
      ...available,
    }
  const encrypted = await onlyEncrypted(filter, (kfl) => count(sources, kfl, window))
  if (encrypted > 0)
    return {
      reason: 'encrypted',
      detail: `The peers in the filter had ${encrypted} encrypted connections and no readable traffic. Filter by tls to see the peers, with names and certificates.`,
      ...available,
      ...(parts.length > 0 && { parts }),
    }
  return {
    reason: 'no_match',
    detail: `None of the ${inWindow} calls${start === undefined && end === undefined ? '' : ' in this window'} matches the filter.${missingPart(gaps)}${onlyPart(only)}${await cutBodies(filter, (kfl) => count(sources, kfl, window))}`,
    ...available,
    ...(only && { only }),
    ...(parts.length > 0 && { parts }),
  }
}

/** A dissection of some protocols or calls says nothing of the others. */
function onlyPart({ kfl, kfl_withheld, protocols }: EmptyAnswer['only'] = {}): string {
  const parts = [
    ...(protocols ? [`the protocols ${protocols.join(', ')}`] : []),
    ...(kfl === undefined ? [] : [`calls that match ${kfl}`]),
    ...(kfl_withheld === undefined ? [] : [`calls that match a filter (${kfl_withheld})`]),
  ]
  return parts.length === 0 ? '' : ` Only ${parts.join(', and of these ')} were dissected here.`
}

/** What lies beyond the part of a body that was kept cannot be found. */
async function cutBodies({ paths }: Filter, count: (kfl: string) => Promise<number>): Promise<string> {
  const messages = ['request', 'response'].filter((message) => paths.includes(`${message}.body`))
  if (messages.length === 0) return ''
  const cut = await count(messages.map((message) => `${message}.truncated`).join(' or '))
  if (cut === 0) return ''
  return ` ${cut} of the newest have a truncated body (tap.capture.dissection.bodyBytes); the rest of the body was not searched.`
}

type Window = { readonly start?: number; readonly end?: number }

const MAX_PARTS = 16

/** How many calls each condition of the filter matches alone. */
function countParts(sources: readonly CallSource[], filter: Filter, window: Window) {
  if (filter.text.trim() === '') return Promise.resolve([])
  return Promise.all(
    filter.parts.slice(0, MAX_PARTS).map(async (part) => {
      const matches = await count(sources, part.text, window)
      const seen = matches === 0 ? await seenInstead(part, sources, window) : []
      return { kfl: part.text, matches, ...(seen.length > 0 && { seen: [...seen] }) }
    }),
  )
}

async function count(sources: readonly CallSource[], kfl: string, window: Window): Promise<number> {
  const answer = askMerged(new SourceSet(sources), 'count', { kfl, ...window })
  return (await answer.catch(() => ({ count: 0 }))).count
}

function instant(time: number | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
