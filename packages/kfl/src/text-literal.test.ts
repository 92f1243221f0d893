import { expect, test } from 'vitest'
import { createCatalog } from './catalog.ts'
import { compile } from './filter.ts'
import { sampleProtocols } from './testing/index.ts'
import { textLiteral } from './text-literal.ts'

const catalog = createCatalog(sampleProtocols)

test.each(['plain', 'a"b\\c', "it's", 'tab\tline\nreturn\r', '\b\f\v\0\u001f\u007f', '\\b', 'ü€😀', ''])(
  'a text is read back as it was: %j',
  (text) => {
    expect(compile(`path == ${textLiteral(text)}`, catalog).matches({ path: text })).toBe(true)
    expect(compile(`path == ${textLiteral(text)}`, catalog).matches({ path: `${text}x` })).toBe(false)
  },
)
