import { ownAgents } from '@tapdeck/own-ports'
import { expect, test } from 'vitest'
import type { WorkerServices } from '../worker-services.ts'
import { type AnswerSink, RequestHandler, type RequestHandlerOptions } from './request-handler.ts'

const unexpected = () => Promise.reject(new Error('unexpected request'))

/** Services whose searches end when the test resolves them, even after an abort. */
function slowServices() {
  const searches: { readonly end: (result: string) => void; readonly fail: (error: Error) => void }[] = []
  const search = () => new Promise<string>((end, fail) => searches.push({ end, fail }))
  const services: WorkerServices = {
    capture: { ask: unexpected },
    live: { ask: unexpected },
    rewind: { calls: search, call: search },
    events: unexpected,
    setIndexing: unexpected,
    setInventory: unexpected,
    setCredentialKey: unexpected,
    applyNames: unexpected,
    setTargets: unexpected,
    forgetSubscriptions: async () => {},
    report: unexpected,
  }
  return { services, searches }
}

const optionsOf = (services: WorkerServices, sink: AnswerSink): RequestHandlerOptions => ({
  ...{ services, sink, snapshots: '/nowhere', credential: () => '', uploads: ownAgents(undefined) },
})
const question = { kind: 'request', id: 1, request: 'rewind_call', input: { id: 'n/1/0' } } as const

test('a request of a lost connection is not answered on the next one', async () => {
  const { services, searches } = slowServices()
  const said: string[] = []
  const handler = new RequestHandler(
    optionsOf(services, {
      answer: (id, result) => said.push(`${id} ${result}`),
      failure: (id, problem) => said.push(`${id} ${problem.message}`),
      piece: unexpected,
    }),
  )
  handler.take(question)
  handler.take({ ...question, id: 2 })
  await handler.drop()
  // The new connection starts with id 1 again.
  handler.take(question)
  searches[0]?.end('of the first')
  searches[1]?.fail(new Error('of the first, too'))
  searches[2]?.end('of the second')
  await expect.poll(() => said).toEqual(['1 of the second'])
})

test('an unknown request, or one with invalid input, fails and reaches no thread', async () => {
  const { services } = slowServices()
  const said: string[] = []
  const sink = {
    answer: (id: number, result: string) => said.push(`${id} ${result}`),
    failure: (id: number, { status, code }: { status: number; code: string }) =>
      said.push(`${id} ${status} ${code}`),
    piece: unexpected,
  }
  const handler = new RequestHandler(optionsOf(services, sink))
  const requests = [
    ['format_disk', {}],
    ['toString', {}],
    ['indexing', {}],
    ['indexing', { enabled: 'yes' }],
    ['calls', { kfl: 'http', limit: -1, order: 'newest', format: 'compact' }],
    ['window', { start: 'x', end: 2 }],
    ['hand_over', { start: 1, end: 2, folder: 7, max_bytes: 1 }],
    ['upload', { upload: 'x', start: 1, end: 2, part_bytes: 1, parts: [] }],
    ['rewind', null],
  ] as const
  for (const [id, [request, input]] of requests.entries())
    handler.take({ kind: 'request', id, request, input })
  const codes = requests.map((_, id) => `${id} 400 ${id < 2 ? 'unknown_request' : 'invalid_request'}`)
  await expect.poll(() => said).toEqual(codes)
})

test('the credential is read anew at each request, because the cluster renews it', async () => {
  const { services } = slowServices()
  const said: string[] = []
  const sink = {
    answer: (id: number, result: string) => said.push(`${id} ${result}`),
    failure: (id: number, { message }: { message: string }) => said.push(`${id} ${message}`),
    piece: unexpected,
  }
  let token = 'first'
  const handler = new RequestHandler({ ...optionsOf(services, sink), credential: () => token })
  handler.take({ kind: 'request', id: 1, request: 'credential', input: {} })
  token = 'second'
  handler.take({ kind: 'request', id: 2, request: 'credential', input: {} })
  await expect.poll(() => said).toEqual(['1 {"credential":"first"}', '2 {"credential":"second"}'])
})
