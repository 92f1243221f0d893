import { describe, expect, test } from 'vitest'
import { format } from './format.ts'

describe('formatting', () => {
  test.each([
    ['', ''],
    ['  http&&!dns ', 'http and not dns'],
    ["path.contains('x')||  path.startsWith('y')", 'path contains "x" or path startswith "y"'],
    ['a==1&&(b==2||c==3)', 'a == 1 and (b == 2 or c == 3)'],
    ['((a and (b and c)))', 'a and b and c'],
    ['!(a == 1)', 'not a == 1'],
    ['(!a) == b', '(not a) == b'],
    ['not (a or b)', 'not (a or b)'],
    ['x in (1,2 , 3)', 'x in [1, 2, 3]'],
    ['x in (1)', 'x in [1]'],
    ['x NOT IN {500..599}', 'x not in [500..599]'],
    ['a-(b-c)-d', 'a - (b - c) - d'],
    ['(a+b)*-c', '(a + b) * -c'],
    ['a?b:c?d:e', 'a ? b : c ? d : e'],
    ['(a?b:c)?d:e', '(a ? b : c) ? d : e'],
    ['request.headers.x-id=="a"', 'request.headers["x-id"] == "a"'],
    ['m["k"][0].y == \'it\\\'s "q"\'', 'm["k"][0].y == "it\'s \\"q\\""'],
    ['l.exists(x,x.contains("a"))', 'l.exists(x, x contains "a")'],
    ['path matches "\\d+"', 'path matches "\\\\d+"'],
    ['latency>1h30m and ip in 10.0.0.0/8', 'latency > 1h30m and ip in 10.0.0.0/8'],
  ])('%s becomes %s', (text, formatted) => {
    expect(format(text)).toBe(formatted)
    expect(format(formatted)).toBe(formatted)
  })

  test.each([
    ['path contains "x" and not dns', 'path.contains("x") && !dns'],
    ['not (a == 1 or b)', '!(a == 1 || b)'],
    ['path not contains "x"', 'path not contains "x"'],
    ['a + b startswith "x"', '(a + b).startsWith("x")'],
  ])('%s is %s in CEL', (text, cel) => {
    expect(format(text, 'cel')).toBe(cel)
    expect(format(cel)).toBe(text)
  })
})
