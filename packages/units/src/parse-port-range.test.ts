import { expect, test } from 'vitest'
import { parsePortRange } from './parse-port-range.ts'

test('reads the first and the last port', () => {
  expect(parsePortRange('28864-28927')).toEqual({ first: 28864, last: 28927 })
  expect(parsePortRange('1-65535')).toEqual({ first: 1, last: 65535 })
  expect(parsePortRange('9000-9000')).toEqual({ first: 9000, last: 9000 })
})

test.each(['', '9000', '0-10', '10-9', '1-65536', '1-2-3', 'a-b', ' 1-2', '-5-9', '1.5-2', '000001-2'])(
  '%o is no range',
  (text) => expect(parsePortRange(text)).toBeUndefined(),
)
