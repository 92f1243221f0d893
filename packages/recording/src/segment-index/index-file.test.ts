import { expect, test } from 'vitest'
import { formatIndex, parseIndex } from './index-file.ts'
import { type Region, SegmentIndex } from './segment-index.ts'

const SIZE = 1000
const region = (at: number, end: number): Region => ({
  ...{ at, end, packets: 1, first: 0, last: 1, describes: false },
})
const regions = [region(0, 400), region(400, SIZE)]
const parties = {
  keys: new Int32Array([1, 2]),
  starts: new Uint32Array([0, 1, 3]),
  postings: new Uint16Array([0, 0, 1]),
}

test('an index is read as it was written', () => {
  const found = parseIndex(formatIndex(SIZE, new SegmentIndex(regions, parties)), SIZE)
  expect(found?.regions).toEqual(regions)
  expect(found?.parties).toEqual(parties)
  expect(parseIndex(formatIndex(SIZE, new SegmentIndex(regions)), SIZE)?.isCoarse).toBe(true)
})

test.each<[string, readonly Region[]]>([
  ['a region twice', [region(0, 400), region(0, 400)]],
  ['a region beyond the segment', [region(0, SIZE + 1)]],
  ['a region before it', [region(-400, 400)]],
  ['a region that ends before it begins', [region(0, 400), region(400, 300)]],
  ['an empty region', [region(0, 0), region(0, 400)]],
  ['a hole', [region(0, 400), region(500, 600)]],
  ['no number', [region(0, Number.NaN)]],
  ['no whole number', [region(0, 0.5)]],
])('an index with %s is not trusted, whatever its checksum', (_, lie) => {
  expect(parseIndex(formatIndex(SIZE, new SegmentIndex(lie)), SIZE)).toBeUndefined()
})

test.each([
  ['beyond the postings', [0, 1, 0xffff_ffff]],
  ['in descending order', [0, 3, 1]],
])('an index whose starts are %s is not trusted: a search would not end', (_, starts) => {
  const lie = new SegmentIndex(regions, { ...parties, starts: new Uint32Array(starts) })
  expect(parseIndex(formatIndex(SIZE, lie), SIZE)).toBeUndefined()
})
