import { expect, test } from 'vitest'
import { choice, flag, text, texts, whole } from './option.ts'
import { parseArguments } from './parse-arguments.ts'

const table = {
  json: flag('JSON.'),
  name: text('NAME', 'A name.', { short: 'n' }),
  set: texts('KEY=VALUE', 'Sets.'),
  limit: whole('N', 'At most.', 1, 10),
  format: choice(['a', 'b'], 'How.'),
}
const parse = (...args: string[]) => parseArguments(table, args)

test('absent options have their absent value', () => {
  expect(parse()).toEqual({
    words: [],
    options: { json: false, name: undefined, set: [], limit: undefined, format: undefined },
  })
})

test('values are after a space or an equals sign, short names before a space', () => {
  expect(parse('--name', 'x').options.name).toBe('x')
  expect(parse('--name=x=y').options.name).toBe('x=y')
  expect(parse('-n', 'x').options.name).toBe('x')
  expect(parse('--name=').options.name).toBe('')
})

test('options and words mix; a lone dash is a word; two dashes end the options', () => {
  expect(parse('a', '--json', '-', '--', '--name')).toMatchObject({
    words: ['a', '-', '--name'],
    options: { json: true, name: undefined },
  })
})

test('a repeatable option gathers its values, another takes the last', () => {
  expect(parse('--set', 'a=1', '--set=b=2', '-n', 'x', '-n', 'y').options).toMatchObject({
    set: ['a=1', 'b=2'],
    name: 'y',
  })
})

test.each([
  [['--jsn'], 'unknown option --jsn; did you mean --json?'],
  [['-x'], 'unknown option -x'],
  [['--name'], '--name needs a value: --name NAME'],
  [['--json=yes'], '--json takes no value'],
  [['--limit', '11'], '--limit: expected a whole number from 1 to 10, not "11"'],
  [['--limit', '1e1'], '--limit: expected a whole number from 1 to 10, not "1e1"'],
  [['--format', 'c'], '--format: expected a, b, not "c"'],
  [['--constructor', 'x'], 'unknown option --constructor'],
])('%j is refused', (args, message) => {
  expect(() => parse(...args)).toThrow(message)
})
