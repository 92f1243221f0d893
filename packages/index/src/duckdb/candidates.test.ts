import { expect, it } from 'vitest'
import { inFolder, kfl } from '../contract/check.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { openIndex } from './open-index.ts'

it('a filter that takes long for each call lets other work on the thread have its turn', () =>
  inFolder(openIndex, async (open) => {
    const index = await open()
    const flow = sampleFlow({ id: 7, handshake: 10 })
    for (let i = 0; i < 30; i++)
      index.append(sampleCall({ flow, ordinal: i, start: DAWN + i, body: `${i}` }), samplePeers(flow, {}))
    await index.flush()
    let inOneTurn = 0
    let most = 0
    let isOver = false
    const turn = () => {
      inOneTurn = 0
      if (!isOver) setImmediate(turn)
    }
    setImmediate(turn)
    const { text, tree, parts, paths } = kfl('request.body contains "nowhere"')
    const slow = {
      text,
      tree,
      parts,
      paths,
      matches: () => {
        most = Math.max(most, ++inOneTurn)
        for (const until = performance.now() + 11; performance.now() < until; );
        return false
      },
    }
    await index.count(slow, {})
    isOver = true
    expect(most).toBeGreaterThan(0)
    expect(most).toBeLessThan(4)
  }))
