import { describe, expect, it } from 'vitest'
import { verbOf } from './verb.ts'

const verb = (text: string) => verbOf(new TextEncoder().encode(text))

describe('the verb of a statement', () => {
  it.each([
    ['select 1', 'SELECT'],
    ['  \n\tInsert into t values (1)', 'INSERT'],
    ['-- a note\nupdate t set a = 1', 'UPDATE'],
    ['# a note\ndelete from t', 'DELETE'],
    ['/* a note */ begin', 'BEGIN'],
    ['/*!40101 SET NAMES utf8 */', 'SET'],
    ['(select 1) union (select 2)', 'SELECT'],
    [';; commit', 'COMMIT'],
    ['START_REPLICATION SLOT x', 'START_REPLICATION'],
    ['with a as (select 1) insert into t select * from a', 'INSERT'],
    ["with a as (select 'with ) update'), b(x) as (delete from t returning x) update t set x = 1", 'UPDATE'],
    ['with a as (select 1', 'WITH'],
  ])('of %j is %s', (text, expected) => expect(verb(text)).toBe(expected))

  it.each(['', '   ', '/* only a note */', '-- only a note', '123', "'text'"])(
    'is undefined for %j',
    (text) => expect(verb(text)).toBeUndefined(),
  )

  it('does not look beyond the end', () => {
    const text = new TextEncoder().encode('/* never closed')
    expect(verbOf(text, 0, 5)).toBeUndefined()
  })
})
