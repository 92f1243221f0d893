import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { ParquetFolder } from './parquet-folder.ts'

/** `pip install pandas pyarrow fastparquet`; TAPDECK_PYTHON names the Python that has them. */
const python = process.env.TAPDECK_PYTHON || 'python3'

const columns = {
  at: 'TIMESTAMPTZ',
  late_at: 'TIMESTAMPTZ',
  text: 'VARCHAR',
  kind: 'VARCHAR',
  late: 'VARCHAR',
  never: 'VARCHAR',
  count: 'BIGINT',
  never_count: 'BIGINT',
  share: 'DOUBLE',
  is: 'BOOLEAN',
} as const
const noon = Date.UTC(2026, 0, 2, 12)
const texts = [
  '',
  'a\u0000b',
  '日本語',
  '😀🏴‍☠️',
  'e\u0301',
  '\u202egnp',
  '\ufeffmark',
  'NULL',
  'NaN',
  '\\"\r\n\t',
]

/** Two parts; the first has only NULL in `late` and `late_at`. Exported booleans are never NULL: pandas would make numbers or objects of them. */
const many = Array.from({ length: 5000 }, (_, i) => ({
  ...(i % 11 > 0 && { at: noon + i + (i % 1000) / 1000 }),
  ...(i % 5 > 0 && { text: `${texts[i % texts.length]}${i % 3 === 0 ? i : ''}` }),
  ...(i % 2 > 0 && { kind: 'tcp' }),
  ...(i % 7 > 0 && { count: i % 13 === 0 ? Number.MAX_SAFE_INTEGER - i : -i }),
  ...(i % 3 > 0 && { share: i / 7 }),
  is: i % 4 === 1,
}))
const large = Array.from({ length: 66 }, (_, i) => ({
  ...{ count: i, text: `${i}${'x'.repeat(1 << 20)}`, is: true },
  ...(i > 64 && { late: 'late', late_at: noon }),
}))

const script = `
import json, sys, pandas

def plain(value):
    if pandas.isna(value): return None
    if isinstance(value, pandas.Timestamp): return str(value.value // 1000)
    return value.item() if hasattr(value, 'item') else value

folder, engine = sys.argv[1:]
frame = pandas.read_parquet(folder, engine=engine)
rows = [[plain(value) for value in row] for row in frame.itertuples(index=False, name=None)]
zones = [str(getattr(frame[name].dtype, 'tz', None)) for name in ('at', 'late_at')]
print(json.dumps({'columns': list(frame.columns), 'rows': rows, 'zones': zones}))
`

describe.each(['pyarrow', 'fastparquet'])('pandas with %s', (engine) => {
  const isInstalled = spawnSync(python, ['-c', `import pandas, ${engine}`]).status === 0
  test.skipIf(!isInstalled)('reads every value of all parts, in order', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapdeck-pandas-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'rows')
    const table = await ParquetFolder.open(path, columns)
    await table.append([...many, ...large])
    await table.finish()
    expect(readdirSync(path)).toHaveLength(2)
    const { stdout, stderr, status } = spawnSync(python, ['-c', script, path, engine], {
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
    })
    expect(status, stderr).toBe(0)
    const read = JSON.parse(stdout)
    expect(read.columns).toEqual(Object.keys(columns))
    // fastparquet has the same times without their zone.
    const zone = engine === 'pyarrow' ? 'UTC' : 'None'
    expect(read.zones).toEqual([zone, zone])
    const expected = [...many, ...large].map((row: Readonly<Record<string, unknown>>) =>
      Object.entries(columns).map(([name, type]) => {
        const value = row[name]
        if (value === undefined) return null
        return type === 'TIMESTAMPTZ' ? String(Math.round(Number(value) * 1000)) : value
      }),
    )
    expect(read.rows).toHaveLength(expected.length)
    for (const [i, row] of expected.entries()) expect(read.rows[i], `row ${i}`).toEqual(row)
  })
})
