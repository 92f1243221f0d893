import { expect, test } from 'vitest'
import { HubProblem } from '../client/hub-problem.ts'
import { KeptWindows, type KeptWindowsOptions } from './kept-windows.ts'

const window = { start: 1000, end: 2000 }

function hubWith(change: Partial<KeptWindowsOptions> = {}) {
  const asked: string[] = []
  let snapshots = 0
  let dissections = 0
  const options: KeptWindowsOptions = {
    createSnapshot: async (name) => asked.push(`create ${name}`),
    snapshot: async () => {
      const isDone = snapshots++ > 0
      return { status: isDone ? 'completed' : 'in_progress', progress: isDone ? 100 : 40, partial: false }
    },
    startDissection: async (snapshot, name) => asked.push(`dissect ${snapshot}/${name}`),
    dissection: async () => {
      const isDone = dissections++ > 0
      return { status: isDone ? 'completed' : 'running', progress: 50, call_count: 12, errors: [] }
    },
    wait: async () => {},
    ...change,
  }
  const kept = new KeptWindows(options)
  const steps: string[] = []
  kept.shown.watch(() => steps.push(...kept.shown.get().map(({ step, progress }) => `${step} ${progress}`)))
  return { kept, asked, steps }
}

test('a window becomes a snapshot and then a dissection, and the page sees each step', async () => {
  const { kept, asked, steps } = hubWith()
  expect(await kept.keep(window, 'win')).toBe('win')
  expect(asked).toEqual(['create win', 'dissect win/all'])
  expect(steps).toContain('copying 40')
  expect(steps).toContain('dissecting 50')
  expect(kept.shown.get()).toMatchObject([{ name: 'win', step: 'done', calls: 12, partial: false }])
  kept.close('win')
  expect(kept.shown.get()).toEqual([])
})

test('a taken name gets a number', async () => {
  const { kept, asked } = hubWith({
    createSnapshot: async (name) => {
      if (name === 'win') throw new HubProblem(409, { detail: 'taken' })
    },
  })
  expect(await kept.keep(window, 'win')).toBe('win-2')
  expect(asked).toEqual(['dissect win-2/all'])
})

test('a failure is shown with its reason and stops there', async () => {
  const { kept, asked } = hubWith({
    snapshot: async () => ({ status: 'failed', progress: 10, partial: false, error: 'no space left' }),
  })
  expect(await kept.keep(window, 'win')).toBeUndefined()
  expect(asked).toEqual(['create win'])
  expect(kept.shown.get()).toMatchObject([{ step: 'failed', problem: { message: 'no space left' } }])
})

test('a refusal to make the snapshot is shown as well', async () => {
  const { kept } = hubWith({
    createSnapshot: async () => {
      throw new HubProblem(507, { detail: 'There is no space for it.' })
    },
  })
  expect(await kept.keep(window, 'win')).toBeUndefined()
  expect(kept.shown.get()).toMatchObject([
    { step: 'failed', problem: { message: 'There is no space for it.' } },
  ])
})

test('packets alone need no dissection, and leave nothing on the page', async () => {
  const { kept, asked } = hubWith()
  expect(await kept.keep(window, 'packets', false)).toBe('packets')
  expect(asked).toEqual(['create packets'])
  expect(kept.shown.get()).toEqual([])
})
