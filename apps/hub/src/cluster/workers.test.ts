import { expect, test } from 'vitest'
import { startHub } from '../testing/start-hub.ts'

test('all parts of a hub listen to the workers without a warning of a leak', async () => {
  const warnings: string[] = []
  const heard = ({ name }: Error) => void warnings.push(name)
  process.on('warning', heard)
  const hub = await startHub()
  try {
    const { workers } = hub.services
    await hub.worker('a')
    const counts = (['join', 'leave', 'report', 'calls'] as const).map((event) =>
      workers.listenerCount(event),
    )
    expect(Math.max(...counts)).toBeLessThanOrEqual(workers.getMaxListeners())
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', heard)
    await hub.stop()
  }
})
