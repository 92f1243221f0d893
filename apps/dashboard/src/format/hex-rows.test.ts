import { expect, test } from 'vitest'
import { findText, hexRows } from './hex-rows.ts'

const bytes = new TextEncoder().encode('GET /cart HTTP/1.1\r\n')

test('rows have sixteen bytes with their printable characters', () => {
  expect(hexRows(bytes, 100)).toEqual([
    {
      offset: '000000',
      runs: [{ hex: '47 45 54 20 2f 63 61 72 74 20 48 54 54 50 2f 31', text: 'GET /cart HTTP/1', mark: '' }],
      lacks: 0,
    },
    { offset: '000010', runs: [{ hex: '2e 31 0d 0a', text: '.1..', mark: '' }], lacks: 12 },
  ])
  expect(hexRows(bytes, 4)).toHaveLength(1)
  expect(hexRows(new Uint8Array(0), 4)).toEqual([])
})

test('marked bytes are apart, over the end of a row as well', () => {
  const rows = hexRows(bytes, 100, [
    { from: 0, to: 20, mark: 'payload' },
    { from: 4, to: 9, mark: 'found' },
    { from: 15, to: 17, mark: 'found' },
  ])
  expect(rows[0]!.runs.map(({ text, mark }) => [text, mark])).toEqual([
    ['GET ', 'payload'],
    ['/cart', 'found'],
    [' HTTP/', 'payload'],
    ['1', 'found'],
  ])
  expect(rows[1]!.runs.map(({ text, mark }) => [text, mark])).toEqual([
    ['.', 'found'],
    ['1..', 'payload'],
  ])
})

test('a text is found in bytes from a place on', () => {
  expect(findText(bytes, '/', 0, 10)).toEqual([4, 14])
  expect(findText(bytes, '/', 5, 10)).toEqual([14])
  expect(findText(bytes, '/', 0, 1)).toEqual([4])
  expect(findText(bytes, '', 0, 10)).toEqual([])
  expect(findText(bytes, 'none', 0, 10)).toEqual([])
})
