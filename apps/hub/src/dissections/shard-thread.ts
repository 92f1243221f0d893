import { Problem } from '@tapdeck/api'
import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { serveShard } from '@tapdeck/parallel'
import { readPlainFile } from '@tapdeck/recording'
import { chunkMemory, sumLoss } from '@tapdeck/wire'
import { answerQuestion } from '../query/answer-question.ts'
import { dissectShare } from './dissect-share.ts'
import type { ShareTally } from './dissection-task.ts'
import { openNodeIndex } from './node-index.ts'
import type { PlainFiles, ShardAnswer, ShardQuestion, ShardTask } from './shard-task.ts'
import { endedMeanwhile, problemOf } from './thread-message.ts'

/** Progress is reported now and then: a report costs more than reading a small part of a capture. */
const TELL_EVERY_MS = 100

/** The entry of a thread that dissects its share of the flows for a job, into an index of its own. */
serveShard(async ({ shard, data, send, shared, answer, hold, dismissed, left, leaving }) => {
  const { task, node, files, folders } = data as ShardTask
  const catalog = createCatalog(protocols)
  hold()
  const index = await openNodeIndex(folders[shard.index]!, task, node, catalog, shard.count)
  let isOver = false
  const abandon = () => {
    isOver = true
    return index.abandon()
  }
  // At once, whatever it waits for: nothing of it is kept.
  void leaving.then(abandon)
  answer(async (asked): Promise<ShardAnswer> => {
    const about = asked as ShardQuestion
    try {
      if (about.question === 'handshakes') return { result: await index.handshakeCounts() }
      const { question, input, handshakes } = about
      if (handshakes) index.adoptHandshakes(handshakes)
      return { result: await answerQuestion(index, catalog, question, input) }
    } catch (error) {
      const isLost = isOver && !(error instanceof Problem)
      return { problem: (isLost ? endedMeanwhile() : problemOf(error)).body() }
    }
  })
  let last: ShareTally | undefined
  let toldAt = Number.NEGATIVE_INFINITY
  try {
    const chunks = files === undefined ? shared() : readAll(files)
    await dissectShare(chunks, {
      ...{ task, catalog, node, index, shard },
      onProgress(tally) {
        if (left()) throw new Error('stopped')
        last = tally
        const now = performance.now()
        if (now - toldAt < TELL_EVERY_MS) return
        toldAt = now
        send({ ...tally, loss: { ...tally.loss } }, 0)
      },
    })
    // Others may be at work still, and this index is asked as long as theirs are.
    await dismissed()
    if (left()) throw new Error('stopped')
    isOver = true
    await index.close()
  } catch (error) {
    await abandon()
    throw error
  }
  return last && { ...last, loss: sumLoss([last.loss, index.loss]) }
})

async function* readAll(files: PlainFiles): AsyncGenerator<Uint8Array> {
  for (const { path, size } of files) yield* readPlainFile(path, size, () => chunkMemory.borrowReadBuffer())
}
