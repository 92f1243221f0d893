import { expect, test } from 'vitest'
import type { Parts } from '../parts.ts'
import { Answers } from './answers.ts'

const unasked = () => Promise.reject(new Error('nobody should ask this'))

/** Parts whose searches of the recording end when the test says so, also after they were aborted. */
function slowParts() {
  const searches: { readonly end: (result: string) => void; readonly fail: (error: Error) => void }[] = []
  const search = () => new Promise<string>((end, fail) => searches.push({ end, fail }))
  const parts: Parts = {
    capture: { ask: unasked },
    live: { ask: unasked },
    rewind: { calls: search, call: search },
    events: unasked,
    setIndexing: unasked,
    setInventory: unasked,
    forgetSubscriptions: async () => {},
    report: unasked,
  }
  return { parts, searches }
}

const question = { kind: 'request', id: 1, request: 'rewind_call', input: { id: 'n/1/0' } } as const

test('what was asked on a lost connection is not answered on the next', async () => {
  const { parts, searches } = slowParts()
  const said: string[] = []
  const answers = new Answers(
    parts,
    {
      answer: (id, result) => said.push(`${id} ${result}`),
      failure: (id, problem) => said.push(`${id} ${problem.message}`),
      piece: unasked,
    },
    '/nowhere',
  )
  answers.take(question)
  answers.take({ ...question, id: 2 })
  await answers.drop()
  // The new hub counts from one again.
  answers.take(question)
  searches[0]?.end('of the first')
  searches[1]?.fail(new Error('of the first, too'))
  searches[2]?.end('of the second')
  await expect.poll(() => said).toEqual(['1 of the second'])
})
