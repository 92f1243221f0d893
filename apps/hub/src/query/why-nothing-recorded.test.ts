import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { expect, test } from 'vitest'
import { idleReport } from '../testing/fake-worker.ts'
import { whyNothingRecorded } from './why-nothing-recorded.ts'

const catalog = createCatalog(protocols)
const asked = {
  reports: [idleReport],
  costs: [],
  filter: compile('http', catalog),
  window: { start: 2000, end: 3000 },
  narrowed: false,
}
const never = { ...idleReport, recording: { ...idleReport.recording, oldest_ts: null, newest_ts: null } }

test('nothing recorded and nothing captured are different reasons', () => {
  expect(whyNothingRecorded({ ...asked, reports: [never] })).toMatchObject({ reason: 'no_data' })
  const deaf = { ...never, capture: { active: false, interfaces: [], reason: 'no right to capture' } }
  expect(whyNothingRecorded({ ...asked, reports: [deaf] })).toEqual({
    reason: 'not_captured',
    detail: 'Nothing is recorded: no right to capture',
  })
})

test('a caller limited to namespaces does not learn when others sent', () => {
  for (const window of [asked.window, { start: 100_000, end: 200_000 }])
    expect(whyNothingRecorded({ ...asked, window, narrowed: true })).toEqual({
      reason: 'no_match',
      detail: 'No call that your role may see matches.',
    })
})
