import { expect, it } from 'vitest'
import { type CallStory, callMoments } from './call-moments.ts'

const lookup = (id: string, ts: number, latency_ms?: number) =>
  ({
    ...{ id, ts, src: { ip: '10.0.0.1', port: 1 }, dst: { ip: '10.0.0.2', port: 53 }, proto: 'dns' },
    ...(latency_ms === undefined ? { error: 'no_response' } : { latency_ms, status: 'NOERROR' }),
  }) as CallStory['call']

it('a lookup that was sent again has its other tries on the timeline', () => {
  const moments = callMoments({
    ...{ call: lookup('b', 6000), lookups: [], handshake: undefined, previous: undefined, caused: [] },
    tries: [lookup('a', 1000), lookup('c', 11_000, 2)],
  })
  expect(moments.map(({ what, id, offset_ms }) => [what, id, offset_ms])).toEqual([
    ['earlier_try', 'a', -5000],
    ['later_try', 'c', 5000],
  ])
})

it('zero windows, FIN and RST name the end that sent them', () => {
  const call = {
    ...lookup('a', 1000, 50),
    ...{ proto: 'http', src: { ip: '10.0.0.1', port: 1, pod: 'web-1' } },
    flow: {
      moments: [
        { ts: 1010, what: 'zero_window', by: 'src' },
        { ts: 1060, what: 'reset', by: 'dst' },
      ],
    },
  } as unknown as CallStory['call']
  const moments = callMoments({
    ...{ call, lookups: [], tries: [], handshake: undefined, previous: undefined, caused: [] },
  })
  expect(moments.map(({ what, by, detail }) => [what, by, detail])).toEqual([
    ['zero_window', 'src', expect.stringContaining('web-1')],
    ['rst', 'dst', expect.stringContaining('10.0.0.2')],
  ])
})
