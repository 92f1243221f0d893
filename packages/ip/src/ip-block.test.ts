import { describe, expect, test } from 'vitest'
import { blockContains, type IpBlock, parseIpBlock } from './ip-block.ts'

function block(text: string): IpBlock {
  const parsed = parseIpBlock(text)
  if (!parsed) throw new Error(`${text} is refused`)
  return parsed
}

describe('an address or block', () => {
  test.each([
    ['10.0.0.0/8', '10.255.0.1', true],
    ['10.0.0.0/8', '11.0.0.1', false],
    ['172.16.0.0/12', '172.31.255.255', true],
    ['172.16.0.0/12', '172.32.0.0', false],
    ['10.1.2.3', '10.1.2.3', true],
    ['10.1.2.3/31', '10.1.2.2', true],
    ['0.0.0.0/0', '203.0.113.9', true],
    ['0.0.0.0/0', '::1', false],
    ['fe80::/10', 'febf::1', true],
    ['fe80::/10', 'fec0::1', false],
    ['2001:db8::/32', '2001:db8:ffff::', true],
    ['::ffff:0:0/96', '::ffff:10.0.0.1', true],
    ['10.0.0.0/8', 'not an address', false],
  ])('%s contains %s: %s', (text, address, expected) => {
    expect(blockContains(block(text), address)).toBe(expected)
  })

  test.each([
    ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
    ['0:0:0:0:0:0:0:0', '::'],
    ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
    ['1:0:2:3:4:5:6:7', '1:0:2:3:4:5:6:7'],
    ['::ffff:a00:1', '::ffff:10.0.0.1'],
    ['10.0.0.1', '10.0.0.1'],
  ])('%s is written %s', (text, written) => {
    expect(block(text).text).toBe(written)
  })

  test.each([
    '',
    '10.0.0',
    '10.0.0.256',
    '10.0.0.01',
    '10.0.0.0/33',
    '10.0.0.0/',
    '::/129',
    '1::2::3',
    '1:2:3',
    ':::',
    '12345::',
    '::1.2.3',
  ])('%s is not an address or block', (text) => {
    expect(parseIpBlock(text)).toBeUndefined()
  })
})
