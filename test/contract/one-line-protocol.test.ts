import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Conversation, ETHERNET, feed } from '@tapdeck/wire/testing'
import { build, type Plugin } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type * as Repository from './repository-parts.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * The repository with one more line in THE list of protocols, and nothing else changed. The folder of the protocol is there
 * already: the example that the conformance suite and docs/adding-a-protocol.md are about.
 */
const oneLineMore: Plugin = {
  name: 'one line more',
  setup: ({ onLoad }) => {
    onLoad({ filter: /dissect\/src\/protocols\/index\.ts$/ }, ({ path }) => {
      const list = readFileSync(path, 'utf8')
      return {
        loader: 'ts',
        contents: `import { ident } from '../conformance/ident/index.ts'\n${list.replace('\n  sctp,\n', '\n  sctp,\n  ident,\n')}`,
      }
    })
  },
}

describe('one folder and one line make a protocol', () => {
  const folder = mkdtempSync(join(tmpdir(), 'one-line-protocol-'))
  let repository: typeof Repository

  beforeAll(async () => {
    const outfile = join(folder, 'repository.cjs')
    await build({
      bundle: true,
      platform: 'node',
      target: 'node20',
      external: ['@duckdb/node-api', 'koffi'],
      absWorkingDir: root,
      entryPoints: [join(root, 'test/contract/repository-parts.ts')],
      outfile,
      format: 'cjs',
      logLevel: 'error',
      jsx: 'automatic',
      plugins: [oneLineMore],
    })
    repository = createRequire(import.meta.url)(outfile)
  }, 60_000)
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  /** Two questions on the port of ident; the second is refused. */
  const dissected = () => {
    const session = new Conversation({ serverPort: 113 }).handshake()
    session.send(0, '6191, 23\r\n').send(1, '6191, 23 : USERID : UNIX : ann\r\n')
    session.send(0, '6192, 23\r\n').send(1, '6192, 23 : ERROR : NO-USER\r\n')
    session.close()
    return repository.recordsOf((sink) => feed(sink, session.packets, ETHERNET))
  }

  it('is recognised, with the common columns of a row', () => {
    expect(dissected().map((record) => record.compact())).toMatchObject([
      { proto: 'ident', method: 'IDENT', path: '6191, 23', status: 'USERID' },
      { proto: 'ident', method: 'IDENT', path: '6192, 23', status: 'ERROR', error: 'NO-USER' },
    ])
  })

  it('has fields that filters check and read', () => {
    const catalog = repository.createCatalog(repository.protocols)
    expect(catalog.find('ident_user')).toMatchObject({ type: 'string', path: 'ident.user' })
    const matching = (filter: string) =>
      dissected()
        .filter((record) => repository.compile(filter, catalog, 0).matches(record))
        .map(({ path }) => path)
    expect(matching('ident_user == "ann"')).toEqual(['6191, 23'])
    expect(matching('ident and error')).toEqual(['6192, 23'])
    expect(matching('proto == "ident"')).toHaveLength(2)
    expect(() => repository.compile('ident_user > 3', catalog, 0)).toThrow()
  })

  it('has its columns in the table of the command line and its look on the page', () => {
    const [record] = dissected()
    const { callColumns, Clock } = repository
    const cells = callColumns(new Clock([], { utc: true })).map(({ cell }) => cell(record.compact()))
    expect(cells.join(' ')).toMatch(/ident.*IDENT.*6191, 23/i)
    expect(repository.protocolLook('ident').label).toBe('ident')
  })

  it('has its part of the documentation', () => {
    const page = repository.fieldReference(repository.createCatalog(repository.protocols))
    expect(page).toContain('## ident\n')
    expect(page).toContain(
      '| `ident_user` | string | The user named in the answer | `ident_user == "root"` |',
    )
  })

  it('is offered to assistants', () => {
    const resources = repository.resourcesOf(repository.createCatalog(repository.protocols))
    const read = (uri: string) => resources.find((one) => one.uri === uri)?.read()
    expect(read('tapdeck://protocols')).toContain('- `ident`: Ident\n')
    expect(read('tapdeck://kfl/fields')).toContain('`ident_user`')
    expect(repository.discovery().protocols).toContainEqual({ name: 'ident', title: 'Ident' })
  })
})
