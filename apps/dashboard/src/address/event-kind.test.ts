import { expect, test } from 'vitest'
import { eventKinds, eventQuestion } from './event-kind.ts'

test('a type of events is asked for with its kind', () => {
  expect(eventKinds.map(eventQuestion).slice(0, 4)).toEqual([
    { kind: undefined },
    { kind: 'cluster' },
    { kind: 'os' },
    { kind: 'os', type: 'process_start' },
  ])
})
