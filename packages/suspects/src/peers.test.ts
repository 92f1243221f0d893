import { expect, it } from 'vitest'
import { failingMore } from './detectors/failing-more.ts'
import { evidence, traffic } from './testing/sample-evidence.ts'

const edges = [traffic({}), traffic({ from: 'mobile' })]
const bills = { path: '/bills' }

it('without a time before, says what other callers and other paths get', () => {
  const paths = [
    traffic({ ...bills, calls: 40, failures: 20 }),
    traffic({ path: '/', calls: 60 }),
    traffic({ ...bills, from: 'mobile', failures: 1 }),
  ]
  const failures = [traffic({ ...bills, error: '500', calls: 20 })]
  expect(failingMore(evidence(null, { edges, paths, failures }))).toMatchObject([
    {
      before: 'other callers: 1.0 % of 100 calls; other paths: 0.0 % of 60 calls fail',
      comparedWith: 'peers',
      loss: { lost: 20, of: 40, path: '/bills' },
    },
  ])
})

it('a client whose calls are refused is more than a note where the same calls of others work', () => {
  const failures = [traffic({ ...bills, error: '401', calls: 50 })]
  const own = traffic({ ...bills, failures: 50 })
  const find = (others: number) =>
    failingMore(
      evidence(null, {
        edges,
        paths: [own, traffic({ ...bills, from: 'mobile', failures: others })],
        failures,
      }),
    )[0]
  expect(find(0)?.score).toBeGreaterThanOrEqual(45)
  const elsewhere = traffic({ path: '/', from: 'mobile' })
  expect(failingMore(evidence(null, { edges, paths: [own, elsewhere], failures }))).toMatchObject([
    { comparedWith: 'protocol' },
  ])
  expect(find(50)).toMatchObject({ isOrdinary: true })
  expect(find(50)?.score).toBeLessThan(45)
  const alone = failingMore(evidence(null, { edges, paths: [own], failures }))[0]
  expect(alone).toMatchObject({ comparedWith: 'protocol', isOrdinary: true })
})

it('what no client ever asked with success is a note, also where it begins; what worked before is not', () => {
  const failures = [{ ...traffic({ path: '/.env', error: '404', calls: 60 }), client: { name: '192.0.2.7' } }]
  const paths = [{ ...traffic({ path: '/.env', calls: 60, failures: 60 }), client: { name: '192.0.2.7' } }]
  const bot = failingMore(evidence({ edges }, { edges: [...edges, ...paths], paths, failures }))
  expect(bot[0]?.score).toBeLessThan(45)
  const before = { edges, paths: [traffic({ path: '/.env' })] }
  const broken = failingMore(evidence(before, { edges: [...edges, ...paths], paths, failures }))
  expect(broken[0]?.score).toBeGreaterThan(62)
})

it('names with search domains that do not exist are a note, even where they begin', () => {
  const lookups = [
    {
      client: traffic({}).client,
      server: { name: 'dns' },
      name: 'a.example',
      lookups: 50,
      missing: 0,
      unanswered: 0,
      first: 0,
    },
    {
      client: traffic({}).client,
      server: { name: 'dns' },
      name: 'a.example.svc',
      lookups: 50,
      missing: 50,
      unanswered: 0,
      first: 0,
    },
  ]
  const asked = (path: string) => ({
    ...traffic({ proto: 'dns', path, error: 'NXDOMAIN', calls: 50 }),
    server: { name: 'dns' },
  })
  const dns = [{ ...traffic({ proto: 'dns', calls: 100 }), server: { name: 'dns' } }]
  const score = (path: string) =>
    failingMore(evidence({ edges: dns }, { edges: dns, failures: [asked(path)], lookups }))[0]?.score
  expect(score('a.example.svc')).toBeLessThan(45)
  expect(score('b.example')).toBeGreaterThan(62)
})
