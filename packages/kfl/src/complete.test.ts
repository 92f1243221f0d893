import { describe, expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { complete } from './complete.ts'
import { sampleProtocols } from './testing/index.ts'

const catalog = createCatalog(sampleProtocols)

/** Completes at the `|` in the text. */
function at(marked: string) {
  const cursor = marked.indexOf('|')
  const text = marked.replace('|', '')
  const completion = complete(text, cursor, catalog)
  const labels = completion.items.map((item) => item.label)
  return { ...completion, labels, replaced: text.slice(completion.from, completion.to) }
}

describe('completion', () => {
  test('offers fields for the beginning of a name, the nearest first', () => {
    const { labels, replaced } = at('http and request.pa|')
    expect(labels[0]).toBe('request.path')
    expect(replaced).toBe('request.pa')
  })

  test('replaces the whole name at the cursor', () => {
    expect(at('requ|est.pa == "x"').replaced).toBe('request.pa')
  })

  test('offers fields, functions and not at the beginning', () => {
    expect(at('|').labels).toEqual(expect.arrayContaining(['src.pod', 'size(', 'not']))
    expect(at('http and (|').labels).toContain('src.pod')
  })

  test('offers the operators that fit the type', () => {
    expect(at('src.pod |').labels).toEqual([
      '==',
      '!=',
      'contains',
      'startswith',
      'endswith',
      'matches',
      'in',
      'and',
      'or',
    ])
    expect(at('src.port |').labels).not.toContain('contains')
    expect(at('http |').labels).toEqual(['and', 'or'])
    expect(at('src.pod cont|').labels).toEqual(['contains'])
    expect(at('src.pod == "a" |').labels).toContain('and')
  })

  test('offers the methods of a text after its dot', () => {
    expect(at('request.path.st|').labels).toEqual(['request.path.startsWith('])
    expect(at('dns_questions.|').labels).toContain('dns_questions.exists(')
  })

  test.each([
    ['src.pod == |', 'src.pod', ''],
    ['src.pod == "fro|', 'src.pod', 'fro'],
    ['src.pod == "fro|"', 'src.pod', 'fro'],
    ['http and dst.svc in ["a", |', 'dst.svc', ''],
    ['dst.svc in ["a", "b|', 'dst.svc', 'b'],
    ['dst.svc not in ("|', 'dst.svc', ''],
    ['request.path.contains("|', 'request.path', ''],
    ['request.path not contains "|', 'request.path', ''],
    ['request.headers["x-id"] == "|', 'request.headers', ''],
  ])('says whose values are wanted: %s', (marked, field, prefix) => {
    expect(at(marked)).toMatchObject({ valuesOf: field, prefix })
  })

  test('replaces an open string with its quotes', () => {
    expect(at('src.pod == "fro|" and http').replaced).toBe('"fro"')
    expect(at('proto == "ht|').labels).toEqual(['"http"'])
    expect(at('proto == |').labels).toContain('"redis"')
  })

  test('offers true and false for a boolean', () => {
    expect(at('mongodb_success == |').labels.slice(0, 2)).toEqual(['true', 'false'])
  })

  test.each(['src.pod == 5 = |', 'a ` |', '10.0.0 |', '"|', "'|", '((((|', 'x'.repeat(100_000)])(
    'never throws: %s',
    (text) => {
      expect(() => complete(text, text.length, catalog)).not.toThrow()
      expect(() => complete(text, 1e9, catalog)).not.toThrow()
      expect(() => complete(text, -1, catalog)).not.toThrow()
    },
  )
})

test.each([1000, 8000])('a path of %i steps is looked up only at its start', (steps) => {
  let looked = 0
  const counting = {
    ...catalog,
    find: (name: string) => {
      looked += name.length
      return catalog.find(name)
    },
  }
  const path = `request.headers${'.a'.repeat(steps)}`
  complete(`${path} == `, path.length + 4, counting)
  complete(`${path} `, path.length + 1, counting)
  expect(looked).toBeLessThan(10_000)
})
