import type { KflCheck, KflCompletion } from '../client/hub.ts'

export interface Edit {
  readonly text: string
  readonly caret: number
}

/** Puts a completion in the place of what was typed of it, ready for the next word. */
export function complete(
  filter: string,
  completion: Pick<KflCompletion, 'from' | 'to'>,
  item: KflCompletion['items'][number],
): Edit {
  const rest = filter.slice(completion.to)
  const opens = /[([.]$/.test(item.label)
  const gap = opens || /^[\s.[()]/.test(rest) ? '' : ' '
  const before = filter.slice(0, completion.from) + item.label + gap
  const caret = gap === '' && !opens && rest.startsWith(' ') ? before.length + 1 : before.length
  return { text: before + rest, caret }
}

/** Puts the check's suggestion in the place of the wrong part. */
export function mend(filter: string, check: Pick<KflCheck, 'position' | 'length' | 'suggestion'>): Edit {
  const from = Math.min(check.position ?? 0, filter.length)
  const before = filter.slice(0, from) + (check.suggestion ?? '')
  return { text: before + filter.slice(from + (check.length ?? 0)), caret: before.length }
}
